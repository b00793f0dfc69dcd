import type { ReindexProgress } from '../store/vector-spaces.ts';
import { count } from './progress-line.ts';

/** One line about the training, or about the embedding of the passages that follows it. */
export const trainingLine = ({ done, total, trained }: ReindexProgress): string =>
  trained === undefined
    ? `Embedding with the trained embedder: ${count(done)} of ${count(total)} passages`
    : `Training the embedder on ${count(total)} passages: ${Math.floor(100 * trained)} %`;
