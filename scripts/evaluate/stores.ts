/** Combinations of the record store and the vector index. */
export const stores = ['sqlite', 'postgres', 'pgvector'] as const;
export type Store = (typeof stores)[number];

export const storeLabels: Readonly<Record<Store, string>> = {
  sqlite: 'SQLite + Chroma',
  postgres: 'PostgreSQL + Chroma',
  pgvector: 'PostgreSQL + pgvector',
};

/** Value of `CITEWELL_VECTOR_INDEX` for the store. */
export const vectorIndexOf = (store: Store): 'chroma' | 'pgvector' => (store === 'pgvector' ? 'pgvector' : 'chroma');
