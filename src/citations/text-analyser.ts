/** How texts are compared: by the terms of the full-text search, handed in, so that what was found is also recognised. */
export interface TextAnalyser {
  /** The terms of a text in order, as the index takes them. */
  readonly analyse: (text: string) => readonly string[];
  /** The terms that tell something, each once. */
  readonly analyseQuery: (text: string) => readonly string[];
}
