import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { everything } from '../../src/documents/filter.ts';
import { embeddingText } from '../../src/ingest/embedding-text.ts';
import { defaultSearchSettings } from '../../src/retrieval/search-settings.ts';
import { loadRecords, recordsInFile } from './load.ts';
import { installPeers, openPeers, type PeerRecord } from './peers.ts';
import type { PseudoText } from './pseudo-text.ts';
import { interleaved, type Timing, type Variant } from './timing.ts';
import { type Opened, withServices } from './with-services.ts';
import type { EmbeddingServer } from './word-vectors.ts';

/** Search compared with other libraries on the same chunks, in one process, after warm-up. */
export interface PeerFigures {
  readonly chunks: number;
  readonly load: number;
  /** Chunks per second, including building all indexes. */
  readonly filling: Readonly<Record<string, number>>;
  readonly words: Readonly<Record<string, Timing>>;
  readonly near: Readonly<Record<string, Timing>>;
}

export interface PeerBench {
  /** An empty folder. */
  readonly folder: string;
  readonly text: PseudoText;
  readonly chunks: number;
  readonly queries: readonly string[];
  /** Embedder of the corpus and queries. Not a lexical one, with which a semantic search would become a hybrid one. */
  readonly embeddings: EmbeddingServer;
  readonly onProgress: (line: string) => void;
}

const WARM_UPS = 8;
const OURS = 'Citewell';

export async function measurePeers(bench: PeerBench): Promise<PeerFigures> {
  const { folder, text, chunks: wanted, queries, onProgress } = bench;
  const { embedder, env } = bench.embeddings;
  const peerFolder = join(folder, 'peers');
  const dataFolder = join(folder, '.citewell');
  await mkdir(peerFolder, { recursive: true });
  await mkdir(dataFolder, { recursive: true });
  onProgress('installing the other libraries');
  await installPeers(peerFolder);
  const open = recordsInFile(join(dataFolder, 'citewell.db'));
  const before = { documents: 0, chunks: 0 };
  const { documents, chunks } = await loadRecords({
    open,
    text,
    embedder,
    before,
    wanted,
    onProgress,
  });
  const records: PeerRecord[] = [];
  for (let number = 0; number < documents; number++) {
    const { title, paragraphs } = text.document(number);
    const texts = paragraphs.map((paragraph) => embeddingText({ title, headingPath: [], text: paragraph }));
    const vectors = await embedder.embed(texts, 'passage');
    for (const [index, vector] of vectors.entries()) {
      records.push({ id: records.length, text: paragraphs[index] ?? '', vector });
    }
  }
  onProgress('filling the other libraries');
  const filling: Record<string, number> = {};
  const peers = await openPeers(peerFolder, records, (name, milliseconds) => {
    filling[name] = (1000 * records.length) / milliseconds;
  });
  onProgress('filling the index');
  const measure = async ({ services }: Opened): Promise<PeerFigures> => {
    onProgress('searching');
    const vectors = new Map<string, Float32Array>();
    for (const query of queries) {
      const [vector] = await embedder.embed([query], 'query');
      if (vector !== undefined) vectors.set(query, vector);
    }
    const never = new AbortController().signal;
    const ours = (kind: 'full_text' | 'semantic') => (query: string) =>
      services.retriever.search(query, { ...defaultSearchSettings, kind, filter: everything, limit: 10 }, never);
    const variants: Variant<string>[] = [
      { name: `words ${OURS}`, run: ours('full_text') },
      { name: `near ${OURS}`, run: ours('semantic') },
      ...peers.flatMap(({ name, words, near }): Variant<string>[] => [
        { name: `words ${name}`, run: (query) => words(query) },
        ...(near
          ? [{ name: `near ${name}`, run: (query: string) => near(vectors.get(query) ?? new Float32Array()) }]
          : []),
      ]),
    ];
    const timings = await interleaved(variants, queries, WARM_UPS);
    const named = (leg: string) =>
      Object.fromEntries(
        Object.entries(timings).flatMap(([name, timing]) =>
          name.startsWith(`${leg} `) ? [[name.slice(leg.length + 1), timing] as const] : [],
        ),
      );
    return { chunks, load: loadavg()[0] ?? Number.NaN, filling, words: named('words'), near: named('near') };
  };
  return withServices(folder, measure, env);
}
