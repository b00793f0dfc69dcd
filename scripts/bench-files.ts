import './build-first.js';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultAdmin } from '../src/access/principal.ts';
import { createLexicalHash } from '../src/embeddings/lexical-hash.ts';
import { embeddingText } from '../src/ingest/embedding-text.ts';
import { createIngestor } from '../src/ingest/ingest-document.ts';
import { createPreparationWorkers } from '../src/ingest/prepare-in-worker.ts';
import { detectType } from '../src/ingest/readers/detect-type.ts';
import { readDocument } from '../src/ingest/readers/index.ts';
import { memoryVectorIndex } from '../src/store/memory/memory-vector-index.ts';
import { openStore } from '../src/store/sql/open-store.ts';

// Compares complete ingestion with reading alone, file by file, in pages per second. Files without pages count one page
// per 3,000 characters.   node scripts/bench-files.ts FOLDER [rounds]

const [folder, rounds = '3'] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Usage: node scripts/bench-files.ts FOLDER [rounds]');
  process.exit(2);
}
const PAGE = 3_000;
const { signal } = new AbortController();
const data = await mkdtemp(join(tmpdir(), 'citewell-files-'));
const store = await openStore({ path: join(data, 'citewell.db'), index: memoryVectorIndex(), embeddingText });
const { corpus, spaces, collections, queue } = store;
const embeddings = createLexicalHash();
const readers = createPreparationWorkers({ workers: 1 });
const ingestor = createIngestor({ corpus, readers, spaces, collections, embeddings, queue });

async function ingest(fileName: string, bytes: Uint8Array): Promise<void> {
  const content = { kind: 'file', bytes, fileName } as const;
  const given = { content, ownerId: defaultAdmin.userId, metadata: {}, collectionIds: [], settings: {} };
  const { document } = await ingestor.submit({ ...given, id: crypto.randomUUID() });
  for await (const event of ingestor.run(document.id, signal)) if (event.type === 'failed') throw event.error;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

try {
  let pages = 0;
  let reading = 0;
  let whole = 0;
  let skipped = 0;
  let files = 0;
  for (const fileName of (await readdir(folder)).toSorted()) {
    const path = join(folder, fileName);
    if (!(await stat(path)).isFile()) continue;
    const bytes = new Uint8Array(await readFile(path));
    const read = async () => readDocument((await detectType({ bytes, fileName })).type, { bytes, fileName, signal });
    try {
      // Warm-up: loads the modules that the format needs.
      const { text, pages: own } = await read();
      await ingest(fileName, bytes);
      for (let round = 0; round < Number(rounds); round++) {
        reading += await timed(read);
        whole += await timed(() => ingest(fileName, bytes));
        pages += Math.max(own.length, Math.ceil(text.length / PAGE));
      }
      files++;
    } catch {
      skipped++;
    }
  }
  const rate = (milliseconds: number): string => `${Math.round((pages / milliseconds) * 1000)} pages/s`;
  console.log(`${files} files read, ${skipped} refused; ${pages} pages in ${rounds} rounds, one file at a time`);
  console.log(`readers alone   ${rate(reading)}`);
  console.log(`full ingestion  ${rate(whole)}, ${(whole / reading).toFixed(2)} times as long`);
} finally {
  await readers.close();
  await store.close();
  await rm(data, { recursive: true, force: true });
}
