import type { VectorSpaceName } from '../store/vector-index.ts';

/** Turns texts into vectors of one space. */
export interface EmbeddingModel {
  /** Provider-qualified name, e.g. `openai/text-embedding-3-small` or `builtin/lexical-hash-v1`. */
  readonly name: string;
  /** True when nearness means shared words and not meaning: search is then led by full text (chances.md 6.2). */
  readonly isLexical: boolean;
  /** True when it was learned from the corpus itself: full text still leads, but it adds what goes with the words. */
  readonly isLearned?: boolean;
  /** The space; may ask the provider once for the dimension, then remembers it. */
  space(signal?: AbortSignal): Promise<VectorSpaceName>;
  /**
   * One unit-length vector per text, in order. Over-long texts are cut, not refused. Some models treat questions and
   * passages differently, hence `kind`. Throws ServiceError `provider_failed`, `rate_limited`, `timeout` or `cancelled`.
   */
  embed(texts: readonly string[], kind: 'passage' | 'query', signal?: AbortSignal): Promise<Float32Array[]>;
}

/** Whether its nearness says more than that words are shared; where it does not, words are searched as words. */
export const knowsMeaning = ({ isLexical, isLearned }: Pick<EmbeddingModel, 'isLexical' | 'isLearned'>): boolean =>
  !isLexical || isLearned === true;
