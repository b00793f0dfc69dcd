import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEARNED_EMBEDDING } from '../../src/embeddings/built-in-names.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { createLexicalHash } from '../../src/embeddings/lexical-hash.ts';
import { decodeArtefact } from '../../src/embeddings/lsa/artefact.ts';
import { MAX_CHUNKS_READ } from '../../src/embeddings/lsa/learning-source.ts';
import { lsaEmbeddings } from '../../src/embeddings/lsa/lsa-embeddings.ts';
import type { LsaModel } from '../../src/embeddings/lsa/lsa-model.ts';
import { staticEmbeddings } from '../../src/embeddings/static/static-embeddings.ts';
import { packagedModel } from '../../src/embeddings/static/static-model.ts';
import { distanceFrom } from '../../src/store/distance.ts';
import type { LearningReport } from './learn-alone.ts';
import type { PseudoText } from './pseudo-text.ts';
import { interleaved, type Timing, timed } from './timing.ts';

/** The default embedder of a large corpus, its two parts, and one without training or word table. */
export const builtIn = ['learned', 'its LSA alone', 'packaged', 'hashed'] as const;
export type BuiltIn = (typeof builtIn)[number];

/** Cost of training an embedder on a corpus, and of the built-in embedders. */
export interface LearningFigures {
  readonly chunks: number;
  readonly chunksRead: number;
  /** Training time in milliseconds. */
  readonly learning: number;
  /** Megabytes by which a process grows at the peak of training, and size of the trained model. */
  readonly peak: number;
  readonly kept: number;
  /** Milliseconds until the packaged embedder's first vector, and the megabytes the process grows by. */
  readonly loading: { readonly milliseconds: number; readonly megabytes: number };
  /** Chunks per second. */
  readonly embedding: Readonly<Record<BuiltIn, number>>;
  /** Embedding a query and comparing it with every vector. */
  readonly search: Readonly<Record<BuiltIn, Timing>>;
}

const BATCH = 256;

export async function measureLearning(
  text: PseudoText,
  wanted: number,
  queries: readonly string[],
): Promise<LearningFigures> {
  const chunks = paragraphs(text, wanted);
  const { artefact, learning, peak } = await learnAlone(chunks);
  const model = decodeArtefact(artefact);
  if (model === undefined) throw new Error('The trained model cannot be read.');

  const loading = await measureLoading();
  const { centre, ...rest } = model;
  const alone = { ...rest, dimensions: model.dimensions - centre.length, centre: new Float32Array() };
  const lsa = (each: LsaModel) =>
    lsaEmbeddings({ name: LEARNED_EMBEDDING, learned: async () => each, packaged: packagedModel });
  const models = {
    learned: lsa(model),
    'its LSA alone': lsa(alone),
    packaged: staticEmbeddings(),
    hashed: createLexicalHash(),
  } satisfies Record<BuiltIn, EmbeddingModel>;
  const embedding: Partial<Record<BuiltIn, number>> = {};
  const runs: { name: BuiltIn; run: (query: string) => Promise<number> }[] = [];
  for (const name of builtIn) {
    const { vectors, milliseconds } = await embedAll(models[name], chunks);
    embedding[name] = (1000 * chunks.length) / milliseconds;
    runs.push({ name, run: (query) => nearest(models[name], query, vectors) });
  }
  return {
    chunks: chunks.length,
    chunksRead: Math.min(chunks.length, MAX_CHUNKS_READ),
    learning,
    peak,
    kept: artefact.byteLength / 1e6,
    loading,
    embedding: embedding as Record<BuiltIn, number>,
    search: await interleaved(runs, queries, 5),
  };
}

async function measureLoading(): Promise<LearningFigures['loading']> {
  const before = process.memoryUsage().rss;
  const milliseconds = await timed(async () => {
    await staticEmbeddings().embed(['harbour'], 'query');
  });
  return { milliseconds, megabytes: (process.memoryUsage().rss - before) / 1e6 };
}

function paragraphs(text: PseudoText, wanted: number): string[] {
  const found: string[] = [];
  for (let number = 0; found.length < wanted; number++) found.push(...text.document(number).paragraphs);
  return found.slice(0, wanted);
}

/**
 * Trains in a process of its own with the memory settings of `citewell serve`: this one has all texts in memory, and
 * garbage that would count.
 */
async function learnAlone(chunks: readonly string[]): Promise<LearningReport & { readonly artefact: Uint8Array }> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-learning-'));
  try {
    const [textsPath, artefactPath] = [join(folder, 'texts.jsonl'), join(folder, 'artefact')];
    await writeFile(
      textsPath,
      sample(chunks).map((text) => `${JSON.stringify(text)}\n`),
    );
    const child = fork(join(import.meta.dirname, 'learn-alone.ts'), [textsPath, artefactPath, String(chunks.length)], {
      execArgv: ['--max-semi-space-size=4'],
      env: { ...process.env, MALLOC_ARENA_MAX: '2' },
    });
    const reported = once(child, 'message') as Promise<[LearningReport]>;
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The process that trains the model ended with code ${code}.`);
    });
    const [report] = await Promise.race([reported, ended]);
    return { ...report, artefact: await readFile(artefactPath) };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Evenly sampled, as in the store. */
function sample(chunks: readonly string[]): string[] {
  const step = Math.max(1, chunks.length / MAX_CHUNKS_READ);
  return Array.from({ length: Math.floor(chunks.length / step) }, (_, at) => chunks[Math.floor(at * step)] ?? '');
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
  const distance = distanceFrom('cosine_distance', vector);
  let best = Number.POSITIVE_INFINITY;
  for (const each of vectors) best = Math.min(best, distance(each));
  return best;
}
