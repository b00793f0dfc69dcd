import './build-first.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAdmin } from '../src/access/principal.ts';
import { everything } from '../src/documents/filter.ts';
import { createLexicalHash } from '../src/embeddings/lexical-hash.ts';
import { embeddingText } from '../src/ingest/embedding-text.ts';
import { createIngestor } from '../src/ingest/ingest-document.ts';
import { createPreparationWorkers } from '../src/ingest/prepare-in-worker.ts';
import { memoryVectorIndex } from '../src/store/memory/memory-vector-index.ts';
import { openStore } from '../src/store/sql/open-store.ts';
import { seededRandom } from './seeded-random.ts';

// Measures the cost of versions: ingesting an edited document compared with a new one, and a search as of an earlier
// time compared with a current one.   node scripts/bench-versions.ts [documents] [chunks]

const [documents = 40, chunkCount = 500] = process.argv.slice(2).map(Number);
const ROUNDS = 15;
const random = seededRandom(7);
const words = Array.from({ length: 4_000 }, (_, index) => `word${index.toString(36)}`);
const randomText = (): string =>
  `${Array.from({ length: 90 }, () => words[Math.floor(random.next() ** 3 * words.length)]).join(' ')}.`;

const folder = await mkdtemp(join(tmpdir(), 'citewell-versions-'));
const index = memoryVectorIndex();
const store = await openStore({ path: join(folder, 'citewell.db'), index, embeddingText });
const embeddings = createLexicalHash();
const { corpus, spaces, collections } = store;
const readers = createPreparationWorkers();
const ingestor = createIngestor({ corpus, readers, spaces, collections, embeddings, queue: store.queue });
const { signal } = new AbortController();

async function ingest(name: string, chunks: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const { document } = await ingestor.submit({
    content: { kind: 'chunks', chunks },
    ownerId: defaultAdmin.userId,
    id: name,
    title: name,
    metadata: {},
    collectionIds: [],
    settings: {},
    replace: true,
  });
  for await (const event of ingestor.run(document.id, signal)) if (event.type === 'failed') throw event.error;
  return performance.now() - startedAt;
}

const median = (times: readonly number[]): number => times.toSorted((one, two) => one - two)[times.length >> 1] ?? 0;
const milliseconds = (times: readonly number[]): string => `${median(times).toFixed(1)} ms`;
const idOf = (place: number): string => `00000000-0000-4000-8000-${place.toString(16).padStart(12, '0')}`;

try {
  const texts = Array.from({ length: documents }, () => Array.from({ length: chunkCount }, randomText));
  const fresh: number[] = [];
  for (const [index, chunks] of texts.entries()) fresh.push(await ingest(idOf(index), chunks));
  const then = new Date().toISOString();
  const edited: number[] = [];
  const rewritten: number[] = [];
  for (const [index, chunks] of texts.entries()) {
    if (index % 2 === 0) edited.push(await ingest(idOf(index), chunks.with(chunkCount >> 1, randomText())));
    else if (index % 4 === 1) rewritten.push(await ingest(idOf(index), chunks.map(randomText)));
  }
  console.log(`one document of ${chunkCount} passages, ${documents} of them, median times`);
  console.log(`  first time                 ${milliseconds(fresh)}`);
  console.log(`  one passage edited         ${milliseconds(edited)} (${(median(edited) / median(fresh)).toFixed(2)})`);
  console.log(
    `  every passage rewritten    ${milliseconds(rewritten)} (${(median(rewritten) / median(fresh)).toFixed(2)})`,
  );

  const search = store.chunks;
  const text = `${words[40]} ${words[300]} ${words[2_000]}`;
  const [vector = new Float32Array()] = await embeddings.embed([text], 'query');
  console.log(`searches among ${documents * chunkCount} passages`);
  for (const [name, asOf] of [
    ['about now', undefined],
    ['about then', then],
  ] as const) {
    const query = { filter: everything, limit: 10, asOf };
    const byWords: number[] = [];
    const byMeaning: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const startedAt = performance.now();
      await search.matching({ ...query, text });
      const between = performance.now();
      await search.nearest({ ...query, vector, measure: 'cosine_distance' });
      // The first search of each kind fills the caches.
      if (round === 0) console.log(`  ${name}, first time         ${(performance.now() - startedAt).toFixed(1)} ms`);
      else {
        byWords.push(between - startedAt);
        byMeaning.push(performance.now() - between);
      }
    }
    console.log(`  ${name}                  words ${milliseconds(byWords)}, meaning ${milliseconds(byMeaning)}`);
  }
} finally {
  await readers.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
}
