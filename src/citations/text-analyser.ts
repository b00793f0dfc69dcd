/** Analyses texts into terms exactly as the full-text index does. Passed in, because the index lives in the store. */
export interface TextAnalyser {
  /** All terms of a text in order. */
  readonly analyse: (text: string) => readonly string[];
  /** Distinct terms without stop words. */
  readonly analyseQuery: (text: string) => readonly string[];
}
