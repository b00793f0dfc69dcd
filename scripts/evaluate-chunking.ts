import './build-first.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultAdmin } from '../src/access/principal.ts';
import { everything } from '../src/documents/filter.ts';
import { documentId } from '../src/documents/ids.ts';
import { readDocument } from '../src/ingest/readers/index.ts';
import { type SplitChunk, type SplitOptions, splitText } from '../src/ingest/split-text.ts';
import { memoryVectorIndex } from '../src/store/memory/memory-vector-index.ts';
import { openStore } from '../src/store/sql/open-store.ts';
import { type Range, type RangeCollection, readRangeCollection } from './evaluate-chunking/range-collection.ts';

const USAGE = `Measures how well passages of several sizes cover the answer to a question: the share of the answer's
characters found in the passages (recall), and the share of the passages' characters in the answer (precision).

  npm exec -- node scripts/evaluate-chunking.ts [options] FOLDER...

Each folder holds corpus.jsonl (id, text, metadata that names the document), queries.jsonl (id, text, answer) and
qrels.tsv. Passages are found by full text.

  --passages N   retrieved for each question, default 5
  --sizes LIST   maximum sizes when splitting by structure, default 300,400,600,800,1000,1200,1600`;

interface Chunker {
  readonly name: string;
  readonly split: SplitOptions;
}

interface Measured {
  readonly recall: number;
  readonly precision: number;
  readonly chunks: number;
  readonly length: number;
}

const options = {
  passages: { type: 'string', default: '5' },
  sizes: { type: 'string', default: '300,400,600,800,1000,1200,1600' },
  help: { type: 'boolean', default: false },
} as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const limit = Number(values.passages);
  const sizes = values.sizes.split(',').map(Number);
  if (
    values.help ||
    positionals.length === 0 ||
    ![limit, ...sizes].every((each) => Number.isInteger(each) && each > 0)
  ) {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const chunkers: Chunker[] = [
    { name: 'as shipped', split: {} },
    ...sizes.map(
      (chunkSize): Chunker => ({ name: `structure ${chunkSize}`, split: { strategy: 'structure', chunkSize } }),
    ),
    { name: 'recursive 400', split: { strategy: 'recursive', chunkSize: 400, chunkOverlap: 0 } },
    { name: 'recursive 800/400', split: { strategy: 'recursive', chunkSize: 800, chunkOverlap: 400 } },
    { name: 'recursive 1024/512', split: { strategy: 'recursive', chunkSize: 1_024, chunkOverlap: 512 } },
  ];
  for (const folder of positionals) {
    const collection = await readRangeCollection(folder);
    const { name, documents, queries, by } = collection;
    console.log(`${name}: ${documents.size} documents, ${queries.length} questions, answered by ${by}`);
    for (const chunker of chunkers) {
      const { recall, precision, chunks, length } = await measure(collection, chunker, limit);
      console.log(
        `  ${chunker.name.padEnd(20)} recall ${recall.toFixed(3)}  precision ${precision.toFixed(3)}  ` +
          `${chunks} passages of ${Math.round(length)} characters`,
      );
    }
  }
}

async function measure(collection: RangeCollection, { split }: Chunker, limit: number): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-chunking-'));
  const index = memoryVectorIndex();
  const store = await openStore({ path: join(folder, 'citewell.db'), index, embeddingText: ({ text }) => text });
  try {
    await store.spaces.claim({ embedder: 'none', version: '1', dimensions: 1 });
    const names = new Map<string, string>();
    let chunks = 0;
    let length = 0;
    for (const [name, text] of collection.documents) {
      const cut = await chunksOf(text, split);
      chunks += cut.length;
      length += cut.reduce((sum, chunk) => sum + chunk.text.length, 0);
      const id = documentId(name, defaultAdmin.userId);
      names.set(id, name);
      await store.corpus.begin({
        ...{ id, ownerId: defaultAdmin.userId, collectionIds: defaultAdmin.collectionIds, type: 'txt', title: '' },
        ...{ metadata: {}, source: null, fileName: 'text.txt', mediaType: 'text/plain', bytes: Buffer.from(text) },
        settings: {},
      });
      await store.corpus.stage(
        id,
        cut.map((chunk) => ({ ...chunk, vector: Float32Array.of(1) })),
      );
      await store.corpus.publish(id, { text, pages: [], summary: null, totalTokens: 0 });
    }
    const search = store.chunks;
    let recall = 0;
    let precision = 0;
    for (const { text, ranges } of collection.queries) {
      const hits = await search.matching({ text, filter: everything, limit });
      const found = hits.map(({ documentId: id, start, end }) => ({ document: names.get(id) ?? '', start, end }));
      const shared = sizeOf(ranges.flatMap((range) => found.flatMap((hit) => common(range, hit))));
      recall += shared / sizeOf(ranges);
      // As in Chroma's evaluation, text shared by two chunks counts twice.
      const read = found.reduce((sum, { start, end }) => sum + end - start, 0);
      precision += read === 0 ? 0 : shared / read;
    }
    const count = Math.max(1, collection.queries.length);
    return { recall: recall / count, precision: precision / count, chunks, length: length / Math.max(1, chunks) };
  } finally {
    await store.close();
    await index.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function chunksOf(text: string, split: SplitOptions): Promise<SplitChunk[]> {
  const { signal } = new AbortController();
  const read = await readDocument('txt', { bytes: Buffer.from(text), fileName: 'text.txt', signal });
  // Offsets must refer to the same text as the ranges.
  if (read.text !== text) throw new Error('The reader changed the text; its places cannot be compared.');
  return splitText(read, split);
}

const common = (one: Range, two: Range): Range[] => {
  const [start, end] = [Math.max(one.start, two.start), Math.min(one.end, two.end)];
  return one.document === two.document && start < end ? [{ document: one.document, start, end }] : [];
};

/** Characters in any of the ranges. */
function sizeOf(ranges: readonly Range[]): number {
  const sorted = [...ranges].sort((one, two) => one.document.localeCompare(two.document) || one.start - two.start);
  let size = 0;
  let last: Range | undefined;
  for (const range of sorted) {
    const from: number = last?.document === range.document ? Math.max(range.start, last.end) : range.start;
    if (range.end > from) size += range.end - from;
    if (last?.document !== range.document || range.end > last.end) last = range;
  }
  return size;
}

if (import.meta.main) await main();
