import type { VectorSpaceName } from '../store/vector-index.ts';

export interface EmbedOptions {
  /** Whether these passages become chunks (by default), by whose words a learned embedder is judged. */
  readonly areChunks?: boolean;
  /** Called with the tokens of each request to a provider that counts them. */
  readonly onTokens?: (tokens: number) => void;
}

/** Computes the vectors of texts in one space. */
export interface EmbeddingModel {
  /** Provider-qualified name, e.g. `openai/text-embedding-3-small` or `builtin/lexical-hash-v1`. */
  readonly name: string;
  /**
   * True when similarity reflects shared words rather than meaning; full text then has more weight in hybrid search.
   */
  readonly isLexical: boolean;
  /**
   * True when vectors add related words, learned from the corpus or beforehand, though not the meaning of sentences: full
   * text still has more weight.
   */
  readonly isLearned?: boolean;
  /** True for small models of sentences, to which full text adds much: the default search is hybrid, fused by scores. */
  readonly isSmall?: boolean | undefined;
  /**
   * True for an embedder in use only until one is learned from the corpus: a semantic search is fused with full text,
   * which for a language that it does not know finds most.
   */
  readonly isProvisional?: boolean | undefined;
  /** Share of full text in score fusion, from 0 to 1, if it differs from the default. */
  readonly fullTextShare?: number | undefined;
  /** Its vector space; may query the provider once for the dimension, and caches it. */
  space(signal?: AbortSignal): Promise<VectorSpaceName>;
  /**
   * One unit-length vector per text, in order. Over-long texts are truncated, not rejected. `kind` matters for models
   * that treat queries and passages differently. Throws ServiceError `provider_failed`, `rate_limited`, `timeout` or
   * `cancelled`.
   */
  embed(
    texts: readonly string[],
    kind: 'passage' | 'query',
    signal?: AbortSignal,
    options?: EmbedOptions,
  ): Promise<Float32Array[]>;
}

/** Whether similarity reflects more than shared words; if not, full-text search is used instead of vectors. */
export const isSemantic = ({ isLexical, isLearned }: Pick<EmbeddingModel, 'isLexical' | 'isLearned'>): boolean =>
  !isLexical || isLearned === true;
