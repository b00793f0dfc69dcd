import './build-first.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { memoryVectorIndex } from '../src/store/memory/memory-vector-index.ts';
import { openStore, type SqlStore as Store } from '../src/store/sql/open-store.ts';
import { newDocument, publication } from '../test/support/new-document.ts';
import { createPseudoText } from './bench/pseudo-text.ts';
import { fillDatabase } from './explain-queries/fill-database.ts';

const USAGE = `Measures large deletions, and how long other writes wait meanwhile.

  npm run -s bench-deletion -- [--chunks N]

  --chunks N  in 10,000 documents, and in one; default 100000`;

const COLLECTION = 'c0000000-0000-4000-8000-000000000001';
const DIMENSIONS = 256;
const PAUSE_MS = 2;
const never = new AbortController().signal;

const { values } = parseArgs({ options: { chunks: { type: 'string', default: '100000' } } });
const chunks = Number(values.chunks);
if (!Number.isInteger(chunks) || chunks < 1_000) {
  console.log(USAGE);
  process.exitCode = 2;
} else {
  await measure("reset of a collection's graph", fillWithGraph, async ({ graphs }) => {
    for await (const _ of graphs.resetInSteps(COLLECTION, never));
  });
  await measure('deletion of a collection', fillWithGraph, ({ collections }) => collections.remove(COLLECTION));
  await measure('deletion of its documents', fillWithGraph, ({ corpus }) => corpus.remove({ kind: 'all' }));
  await measure('deletion of one document', fillWithOneDocument, ({ corpus }) => corpus.remove({ kind: 'all' }));
}

async function measure(
  name: string,
  fill: (open: () => Promise<Store>, path: string) => Promise<Store>,
  work: (store: Store) => Promise<unknown>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-deletion-'));
  try {
    const path = join(folder, 'citewell.db');
    const index = memoryVectorIndex();
    const store = await fill(() => openStore({ path, index, embeddingText: ({ text }) => text }), path);
    const stopping = new AbortController();
    const waiting = writeMeanwhile(store, stopping.signal);
    const startedAt = performance.now();
    await work(store);
    const took = performance.now() - startedAt;
    stopping.abort();
    const waits = (await waiting).sort((one, two) => one - two);
    await store.close();
    const median = waits[Math.floor(waits.length / 2)] ?? 0;
    console.log(
      `${name.padEnd(32)} ${(took / 1000).toFixed(1)} s; ${waits.length} other writes waited ` +
        `${median.toFixed(0)} ms (median), at most ${waits.at(-1)?.toFixed(0)} ms`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeMeanwhile({ sqlite }: Store, signal: AbortSignal): Promise<number[]> {
  const waits: number[] = [];
  while (!signal.aborted) {
    const asked = performance.now();
    await sql`update collections set updated_at = ${String(asked)} where id = 'none'`.execute(sqlite.writer);
    waits.push(performance.now() - asked);
    await sleep(PAUSE_MS);
  }
  return waits;
}

/** Fills a store with documents of 10 chunks, 10 entities and 9 relationships each. */
async function fillWithGraph(open: () => Promise<Store>, path: string): Promise<Store> {
  await (await open()).close();
  const database = new DatabaseSync(path);
  database.function('index_terms', { varargs: true }, () => '{}');
  fillDatabase(database, chunks);
  database.close();
  const store = await open();
  await store.graphs.pull(COLLECTION, { force: true });
  return store;
}

async function fillWithOneDocument(open: () => Promise<Store>): Promise<Store> {
  const store = await open();
  await store.spaces.claim({ embedder: 'test/random', version: '1', dimensions: DIMENSIONS });
  const document = newDocument('large');
  const text = createPseudoText(1);
  await store.corpus.begin(document);
  let order = 0;
  for (let number = 0; order < chunks; number++) {
    const staged = text.document(number).paragraphs.map((paragraph) => ({
      text: paragraph,
      order: order++,
      start: 0,
      end: paragraph.length,
      page: null,
      headingPath: [],
      vector: Float32Array.from({ length: DIMENSIONS }, () => Math.random() / 16),
    }));
    await store.corpus.stage(document.id, staged);
  }
  await store.corpus.publish(document.id, publication('The text.'));
  return store;
}
