/** Splits texts into terms exactly as the full-text index does. Injected, because the index belongs to the store. */
export interface TextAnalyser {
  /** All terms of a text in order. */
  readonly analyse: (text: string) => readonly string[];
  /** Distinct terms without stop words. */
  readonly analyseQuery: (text: string) => readonly string[];
}
