import type { ChromaClient } from 'chromadb';
import type { Filter } from '../../src/documents/filter.ts';
import { allOf, everything } from '../../src/documents/filter.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import type { Retriever } from '../../src/retrieval/retriever.ts';
import { defaultSearchSettings, type SearchKind } from '../../src/retrieval/search-settings.ts';
import { type BareFullText, NUMBERS } from './load.ts';
import { interleaved, type Timing, timed, timingOf, type Variant } from './timing.ts';

export const kinds = ['semantic', 'full_text', 'hybrid'] as const satisfies readonly SearchKind[];
export const shares = [0.01, 0.5] as const;
type Share = (typeof shares)[number];

export type Measured =
  | 'bare Chroma'
  | 'bare FTS5'
  | `${SearchKind}, no filter`
  | `${SearchKind}, ${Share}`
  | `${SearchKind}, first use of ${Share}`
  | `${SearchKind}, after a write`;

export interface SearchBench {
  readonly retriever: Retriever;
  readonly embedder: EmbeddingModel;
  readonly chroma: ReturnType<ChromaClient['collection']>;
  readonly bare: BareFullText;
  readonly queries: readonly string[];
  /** Makes a change that invalidates all caches. */
  readonly write: () => Promise<unknown>;
}

const WARM_UPS = 8;
const FIRST_USES = 12;
const LIMIT = 10;
const nothing: Filter = { kind: 'none' };

/** Measures every kind of search with every filter, and the bare stores on the same data. */
export async function measureSearch(bench: SearchBench): Promise<Record<Measured, Timing>> {
  const { retriever, embedder, chroma, bare, queries, write } = bench;
  const never = new AbortController().signal;
  const search = (query: string, kind: SearchKind, filter: Filter) =>
    retriever.search(query, { ...defaultSearchSettings, kind, filter, readable: everything, limit: LIMIT }, never);

  const vectors = new Map<string, number[]>();
  for (const query of queries) {
    const [vector] = await embedder.embed([query], 'query');
    vectors.set(query, Array.from(vector ?? []));
    // Both sides know the vectors of the questions: this search only embeds its own.
    await search(query, 'semantic', nothing);
  }
  const bareVariants: Variant<Measured>[] = [
    {
      name: 'bare Chroma',
      run: (query) =>
        chroma.query({ queryEmbeddings: [vectors.get(query) ?? []], nResults: LIMIT, include: ['distances'] }),
    },
    { name: 'bare FTS5', run: (query) => bare.search(query) },
  ];
  const ours = kinds.flatMap((kind): Variant<Measured>[] => [
    { name: `${kind}, no filter`, run: (query) => search(query, kind, everything) },
    ...shares.map((share): Variant<Measured> => {
      const filter = numbersFrom(0, share);
      return { name: `${kind}, ${share}`, run: (query) => search(query, kind, filter) };
    }),
  ]);
  const warm = await interleaved([...bareVariants, ...ours], queries, WARM_UPS);

  const cold: Partial<Record<Measured, Timing>> = {};
  let offset = 0;
  for (const kind of kinds) {
    for (const share of shares) {
      const took: number[] = [];
      for (const query of queries.slice(0, FIRST_USES)) {
        // A new offset, so that the filter has not been used before.
        offset += 1;
        const filter = numbersFrom(offset, share);
        took.push(await timed(() => search(query, kind, filter)));
      }
      cold[`${kind}, first use of ${share}`] = timingOf(took);
    }
    const afterWrite: number[] = [];
    for (const query of queries.slice(0, FIRST_USES)) {
      await write();
      afterWrite.push(await timed(() => search(query, kind, everything)));
    }
    cold[`${kind}, after a write`] = timingOf(afterWrite);
  }
  return { ...warm, ...cold } as Record<Measured, Timing>;
}

/** A filter that selects this share of all documents. */
export function numbersFrom(offset: number, share: number): Filter {
  const field = 'metadata.number';
  return allOf(
    { kind: 'compare', field, op: 'gte', value: offset },
    { kind: 'compare', field, op: 'lt', value: offset + share * NUMBERS },
  );
}
