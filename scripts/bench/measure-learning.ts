import { LEARNED_EMBEDDING } from '../../src/embeddings/built-in-names.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { createLexicalHash } from '../../src/embeddings/lexical-hash.ts';
import { decodeArtefact } from '../../src/embeddings/lsa/artefact.ts';
import { learnInWorker } from '../../src/embeddings/lsa/learn-in-worker.ts';
import { MAX_CHUNKS_READ } from '../../src/embeddings/lsa/learning-source.ts';
import { lsaEmbeddings } from '../../src/embeddings/lsa/lsa-embeddings.ts';
import { packagedModel } from '../../src/embeddings/static/static-model.ts';
import { distances } from '../../src/store/distance.ts';
import type { PseudoText } from './pseudo-text.ts';
import { interleaved, type Timing, timed } from './timing.ts';

/** Cost of training an embedder on a corpus, compared with hashing. */
export interface LearningFigures {
  readonly chunks: number;
  readonly chunksRead: number;
  /** Total milliseconds. */
  readonly learning: number;
  /** Megabytes the process grew by at most during training, and afterwards. */
  readonly peak: number;
  readonly kept: number;
  /** Chunks per second. */
  readonly foldingIn: number;
  readonly hashing: number;
  /** Embedding a query and comparing it with every vector. */
  readonly search: Readonly<Record<'learned' | 'hashed', Timing>>;
}

const BATCH = 256;

export async function measureLearning(
  text: PseudoText,
  wanted: number,
  queries: readonly string[],
): Promise<LearningFigures> {
  const chunks = paragraphs(text, wanted);
  const { signal } = new AbortController();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 50);
  const begun = performance.now();
  const artefact = await lastOf(learnInWorker({ chunkCount: chunks.length, texts: batches(chunks) }, signal));
  const learning = performance.now() - begun;
  clearInterval(watch);
  const model = decodeArtefact(artefact);
  if (model === undefined) throw new Error('The trained model cannot be read.');

  const learned = lsaEmbeddings({ name: LEARNED_EMBEDDING, learned: async () => model, packaged: packagedModel });
  const hashed = createLexicalHash();
  const folded = await embedAll(learned, chunks);
  const hashes = await embedAll(hashed, chunks);
  const search = await interleaved(
    [
      { name: 'learned', run: (query) => nearest(learned, query, folded.vectors) },
      { name: 'hashed', run: (query) => nearest(hashed, query, hashes.vectors) },
    ],
    queries,
    5,
  );
  return {
    chunks: chunks.length,
    chunksRead: Math.min(chunks.length, MAX_CHUNKS_READ),
    learning,
    peak: (peak - before) / 1e6,
    kept: artefact.byteLength / 1e6,
    foldingIn: (1000 * chunks.length) / folded.milliseconds,
    hashing: (1000 * chunks.length) / hashes.milliseconds,
    search,
  };
}

function paragraphs(text: PseudoText, wanted: number): string[] {
  const found: string[] = [];
  for (let number = 0; found.length < wanted; number++) found.push(...text.document(number).paragraphs);
  return found.slice(0, wanted);
}

async function* batches(chunks: readonly string[]): AsyncGenerator<readonly string[], void> {
  // Evenly sampled, as in the store.
  const step = Math.max(1, chunks.length / MAX_CHUNKS_READ);
  const chosen = Array.from(
    { length: Math.floor(chunks.length / step) },
    (_, at) => chunks[Math.floor(at * step)] ?? '',
  );
  for (let at = 0; at < chosen.length; at += BATCH) yield chosen.slice(at, at + BATCH);
}

async function embedAll(model: EmbeddingModel, chunks: readonly string[]) {
  const vectors: Float32Array[] = [];
  const milliseconds = await timed(async () => {
    for (let at = 0; at < chunks.length; at += BATCH) {
      vectors.push(...(await model.embed(chunks.slice(at, at + BATCH), 'passage')));
    }
  });
  return { vectors, milliseconds };
}

async function nearest(model: EmbeddingModel, query: string, vectors: readonly Float32Array[]): Promise<number> {
  const [vector = new Float32Array()] = await model.embed([query], 'query');
  let best = Number.POSITIVE_INFINITY;
  for (const each of vectors) best = Math.min(best, distances.cosine_distance(vector, each));
  return best;
}

async function lastOf<Result>(steps: AsyncGenerator<unknown, Result>): Promise<Result> {
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
  }
}
