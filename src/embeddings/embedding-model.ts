import type { VectorSpaceName } from '../store/vector-index.ts';

export interface EmbedOptions {
  /** Whether passages are chunks of the corpus (the default); a learned embedder counts their unknown words. */
  readonly areChunks?: boolean;
  /** Called with the token count of each request, if the provider reports it. */
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
   * True when vectors relate words, learned from the corpus or beforehand, but do not represent the meaning of
   * sentences; full text still has more weight.
   */
  readonly isLearned?: boolean;
  /** True for small sentence models, which full text complements well: search defaults to hybrid with score fusion. */
  readonly isSmall?: boolean | undefined;
  /**
   * True for an embedder in use only until one is trained on the corpus. Semantic search is then fused with full text,
   * which finds most in languages that the embedder does not know.
   */
  readonly isProvisional?: boolean | undefined;
  /** Share of full text in score fusion, from 0 to 1, if it differs from the default. */
  readonly fullTextShare?: number | undefined;
  /** Loads the code that the first call would load. Calls no provider. */
  preload?(): Promise<void>;
  /** The model's vector space. May query the provider for the dimension; the result is cached. */
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
