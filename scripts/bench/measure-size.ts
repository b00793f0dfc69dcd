import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { defaultAdmin } from '../../src/access/principal.ts';
import { documentId } from '../../src/documents/ids.ts';
import type { SizeFigures } from './figures.ts';
import { loadRecords, openBareFullText, recordsInFile } from './load.ts';
import { measureBareStarts } from './measure-bare-start.ts';
import { measureSearch } from './measure-search.ts';
import { measureStarts } from './measure-start.ts';
import type { PseudoText } from './pseudo-text.ts';
import { timed } from './timing.ts';
import { type Opened, withServices } from './with-services.ts';
import type { EmbeddingServer } from './word-vectors.ts';

/** A start varies with what else the machine does; the median of as many is reported. */
const STARTS = 5;

/** Number of stored documents and chunks. */
export interface Loaded {
  readonly documents: number;
  readonly chunks: number;
}

export interface SizeBench {
  /** Folder of the corpus, which grows from size to size. */
  readonly folder: string;
  readonly wanted: number;
  readonly before: Loaded;
  readonly text: PseudoText;
  readonly queries: readonly string[];
  /** Embedder of the corpus and queries. Not a lexical one, with which a semantic search would become a hybrid one. */
  readonly embeddings: EmbeddingServer;
  readonly onProgress: (line: string) => void;
}

/** Grows the corpus to the target size and measures it. */
export async function measureSize(
  bench: SizeBench,
): Promise<{ readonly loaded: Loaded; readonly figures: SizeFigures }> {
  const { folder, wanted, before, text, queries, embeddings, onProgress } = bench;
  const { embedder, env } = embeddings;
  const dataFolder = join(folder, '.citewell');
  await mkdir(dataFolder, { recursive: true });
  const bare = openBareFullText(join(folder, 'bare.db'));
  const rate = (milliseconds: number): number => (1000 * (loaded.chunks - before.chunks)) / milliseconds;
  let loaded = before;
  try {
    const loading = await timed(async () => {
      const open = recordsInFile(join(dataFolder, 'citewell.db'));
      loaded = await loadRecords({ open, text, embedder, bare, before, wanted, onProgress });
    });
    onProgress('filling the index');
    const startedAt = performance.now();
    const measured = async ({ services, chroma, collectionId }: Opened) => {
      const filled = performance.now() - startedAt;
      onProgress('searching');
      const { retriever, corpus } = services;
      const someDocument = documentId('bench 0', defaultAdmin.userId);
      let changes = 0;
      const write = () => corpus.setMetadata(someDocument, { changes: changes++ }, 'merge');
      const collection = chroma.collection(collectionId);
      const timings = await measureSearch({ retriever, embedder, chroma: collection, bare, queries, write });
      return { rebuilding: filled, search: timings, load: loadavg()[0] ?? Number.NaN, collectionId };
    };
    const { rebuilding, search, load, collectionId } = await withServices(folder, measured, env);
    onProgress('starting the server');
    const start = await measureStarts(STARTS, folder, queries, { env });
    const [vector = new Float32Array()] = await embedder.embed(queries.slice(0, 1), 'query');
    const bareStart = await measureBareStarts(STARTS, { folder: join(dataFolder, 'chroma'), collectionId, vector });
    const figures = {
      chunks: loaded.chunks,
      loading: rate(loading),
      rebuilding: rate(rebuilding),
      load,
      search,
      start,
      bareStart,
    };
    return { loaded, figures };
  } finally {
    bare.close();
  }
}
