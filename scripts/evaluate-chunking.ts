import './build-first.js';
import { createHash } from 'node:crypto';
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
import { askService } from './evaluate-chunking/ask-service.ts';
import { type Range, type RangeCollection, readRangeCollection } from './evaluate-chunking/range-collection.ts';

const USAGE = `Measures how well passages of several sizes cover the answer to a question: the share of the answer's
characters found in the passages (recall), and the share of the passages' characters in the answer (precision).

  npm exec -- node scripts/evaluate-chunking.ts [options] FOLDER...

Each folder holds corpus.jsonl (id, text, metadata that names the document), queries.jsonl (id, text, answer) and
qrels.tsv; or questions_df.csv and documents as in Chroma's chunking_evaluation. Passages are found by full text.

  --passages N   retrieved for each question, default 5
  --service      search through a service with default settings instead of by full text
  --half N       only the questions of half 0 or 1, split by a hash of their text
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
  service: { type: 'boolean', default: false },
  half: { type: 'string' },
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
    const whole = await readRangeCollection(folder);
    const queries = whole.queries.filter(({ text }) => values.half === undefined || halfOf(text) === values.half);
    const collection = { ...whole, queries };
    const { name, documents, by } = collection;
    console.log(`${name}: ${documents.size} documents, ${queries.length} questions, answered by ${by}`);
    // With --service, splitting by structure is measured only with the default sizes (`as shipped`).
    for (const chunker of chunkers.filter(({ split }) => !values.service || split.strategy !== 'structure')) {
      const { recall, precision, chunks, length } = await measure(collection, chunker, {
        limit,
        isService: values.service,
      });
      console.log(
        `  ${chunker.name.padEnd(20)} recall ${recall.toFixed(3)}  precision ${precision.toFixed(3)}  ` +
          `${chunks} passages of ${Math.round(length)} characters`,
      );
    }
  }
}

const halfOf = (text: string): string => String((createHash('sha256').update(text).digest()[0] ?? 0) % 2);

async function measure(
  collection: RangeCollection,
  { split }: Chunker,
  { limit, isService }: { readonly limit: number; readonly isService: boolean },
): Promise<Measured> {
  const lengths: number[] = [];
  for (const text of collection.documents.values()) {
    lengths.push(...(await chunksOf(text, split)).map((chunk) => chunk.text.length));
  }
  const found = await (isService ? askService : askFullText)(collection, split, limit);
  let recall = 0;
  let precision = 0;
  for (const [at, { ranges }] of collection.queries.entries()) {
    const passages = found[at] ?? [];
    const shared = sizeOf(ranges.flatMap((range) => passages.flatMap((hit) => common(range, hit))));
    recall += shared / sizeOf(ranges);
    // As in Chroma's evaluation, text shared by two chunks counts twice.
    const read = passages.reduce((sum, { start, end }) => sum + end - start, 0);
    precision += read === 0 ? 0 : shared / read;
  }
  const count = Math.max(1, collection.queries.length);
  const length = lengths.reduce((sum, each) => sum + each, 0) / Math.max(1, lengths.length);
  return { recall: recall / count, precision: precision / count, chunks: lengths.length, length };
}

/** Returns the passages that a full-text search finds for each question. */
async function askFullText(collection: RangeCollection, split: SplitOptions, limit: number): Promise<Range[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-chunking-'));
  const index = memoryVectorIndex();
  const store = await openStore({ path: join(folder, 'citewell.db'), index, embeddingText: ({ text }) => text });
  try {
    await store.spaces.claim({ embedder: 'none', version: '1', dimensions: 1 });
    const names = new Map<string, string>();
    for (const [name, text] of collection.documents) {
      const id = documentId(name, defaultAdmin.userId);
      names.set(id, name);
      await store.corpus.begin({
        id,
        ownerId: defaultAdmin.userId,
        collectionIds: defaultAdmin.collectionIds,
        type: 'txt',
        title: '',
        metadata: {},
        source: null,
        fileName: 'text.txt',
        mediaType: 'text/plain',
        bytes: Buffer.from(text),
        settings: {},
      });
      const chunks = await chunksOf(text, split);
      await store.corpus.stage(
        id,
        chunks.map((chunk) => ({ ...chunk, vector: Float32Array.of(1) })),
      );
      await store.corpus.publish(id, { text, pages: [], summary: null, totalTokens: 0 });
    }
    const found: Range[][] = [];
    for (const { text } of collection.queries) {
      const hits = await store.chunks.matching({ text, filter: everything, limit });
      found.push(hits.map(({ documentId: id, start, end }) => ({ document: names.get(id) ?? '', start, end })));
    }
    return found;
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

/** Number of characters in the union of the ranges. */
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
