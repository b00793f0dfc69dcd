/** The embedder trained on the corpus itself, once the corpus is large enough. */
export const LEARNED_EMBEDDING = 'builtin/lsa-v1';
export const LEXICAL_EMBEDDING = 'builtin/lexical-hash-v1';
/** The embedder whose token vectors are part of the package. */
export const STATIC_EMBEDDING = 'builtin/static-v1';
/** Incremented with every change of the packaged table. */
export const STATIC_VERSION = '1';

export const isBuiltIn = (embedder: string): boolean => embedder.startsWith('builtin/');
