import type { ChromaClient } from 'chromadb';
import type { Filter } from '../../src/documents/filter.ts';
import { allOf, everything } from '../../src/documents/filter.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import type { Retriever } from '../../src/retrieval/retriever.ts';
import { defaultSearchSettings, type SearchKind } from '../../src/retrieval/search-settings.ts';
import { type BareFullText, NUMBERS } from './load.ts';
import { interleaved, type Timing, type Variant } from './timing.ts';

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

const WARM_UPS = 16;
const FEW = 80;
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

  let used = 0;
  const firstUses = kinds.flatMap((kind) =>
    shares.map((share): Variant<Measured> => {
      return {
        name: `${kind}, first use of ${share}`,
        run: (query) => search(query, kind, numbersFrom(spread(++used) * (1 - share), share)),
      };
    }),
  );
  const afterWrites = kinds.map((kind): Variant<Measured> => {
    return { name: `${kind}, after a write`, prepare: write, run: (query) => search(query, kind, everything) };
  });
  const few = queries.slice(0, FEW);
  return {
    ...warm,
    ...(await interleaved(firstUses, few, WARM_UPS)),
    ...(await interleaved(afterWrites, few, WARM_UPS)),
  };
}

/** Places from 0 to 1 of which those of consecutive numbers are far apart. */
const spread = (number: number): number => (number * 0.618_034) % 1;

/** A filter that selects a share of all documents, from a place between 0 and 1 on. */
export function numbersFrom(place: number, share: number): Filter {
  const field = 'metadata.number';
  const first = Math.floor(place * NUMBERS);
  return allOf(
    { kind: 'compare', field, op: 'gte', value: first },
    { kind: 'compare', field, op: 'lt', value: first + share * NUMBERS },
  );
}
