/** The embedder trained on the corpus itself, once the corpus is large enough. */
export const LEARNED_EMBEDDING = 'builtin/lsa-v1';
export const LEXICAL_EMBEDDING = 'builtin/lexical-hash-v1';
