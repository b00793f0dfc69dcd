/** Where the records are, and what searches the vectors. */
export const stores = ['sqlite', 'postgres', 'pgvector'] as const;
export type Store = (typeof stores)[number];

export const storeLabels: Readonly<Record<Store, string>> = {
  sqlite: 'SQLite + Chroma',
  postgres: 'PostgreSQL + Chroma',
  pgvector: 'PostgreSQL + pgvector',
};

/** `CITEWELL_VECTOR_INDEX` for it. */
export const vectorIndexOf = (store: Store): 'chroma' | 'pgvector' => (store === 'pgvector' ? 'pgvector' : 'chroma');
