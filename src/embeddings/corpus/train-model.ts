import { ServiceError } from '../../errors.ts';
import type { LearnedEmbedders } from '../../store/learned-embedders.ts';
import type { ReindexProgress, VectorSpaces } from '../../store/vector-spaces.ts';
import { LEARNED_EMBEDDING } from '../built-in-names.ts';
import type { Embedders } from '../embedders.ts';
import { decodeArtefact, versionOfArtefact } from '../lsa/artefact.ts';
import { MAX_CHUNKS_READ } from '../lsa/learning-source.ts';
import type { LsaModel } from '../lsa/lsa-model.ts';
import { decideLearning, nothingFolded } from './learning-due.ts';

export interface TrainingParts {
  readonly spaces: Pick<VectorSpaces, 'list'>;
  readonly store: LearnedEmbedders;
  readonly embedders: Pick<Embedders, 'learn'>;
}

/** Progress of training: no chunk is embedded yet. */
export type TrainingProgress = ReindexProgress & { readonly trained: number };

/**
 * A model trained on the chunks of the corpus, and stored: that of an interrupted re-embedding, unless the corpus has
 * outgrown it since, or a new one.
 */
export async function* trainModel(
  { spaces, store, embedders }: TrainingParts,
  signal: AbortSignal,
): AsyncGenerator<TrainingProgress, LsaModel> {
  const chunkCount = await store.countStoredChunks();
  const interrupted = await interruptedModel({ spaces, store }, chunkCount);
  if (interrupted !== undefined) return interrupted;
  const texts = store.chunkTexts(MAX_CHUNKS_READ, signal);
  const steps = embedders.learn({ chunkCount, texts }, signal);
  for (;;) {
    const step = await steps.next();
    if (step.done) {
      const model = decodeArtefact(step.value);
      if (model === undefined) throw new ServiceError('internal', 'What was learned from the corpus cannot be read.');
      await store.keep(LEARNED_EMBEDDING, versionOfArtefact(step.value), step.value);
      return model;
    }
    yield { done: 0, total: chunkCount, trained: step.value };
  }
}

async function interruptedModel(
  { spaces, store }: Pick<TrainingParts, 'spaces' | 'store'>,
  chunkCount: number,
): Promise<LsaModel | undefined> {
  const space = (await spaces.list()).find((each) => each.state === 'building' && each.embedder === LEARNED_EMBEDDING);
  const model = space && (await readLearned(store, space.version));
  if (model === undefined) return undefined;
  const { isDue } = decideLearning({
    setting: LEARNED_EMBEDDING,
    chosen: undefined,
    preferred: LEARNED_EMBEDDING,
    embedder: LEARNED_EMBEDDING,
    chunkCount,
    inUse: model,
    foldedSince: nothingFolded,
  });
  return isDue ? undefined : model;
}

/** The trained model of a version; undefined when missing, damaged or from an incompatible program version. */
export async function readLearned(store: LearnedEmbedders, version: string): Promise<LsaModel | undefined> {
  const bytes = await store.read(LEARNED_EMBEDDING, version);
  const model = bytes && decodeArtefact(bytes);
  return model?.version === version ? model : undefined;
}
