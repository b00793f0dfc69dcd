/** Maximum age of a page. */
export type Freshness = 'day' | 'week' | 'month' | 'year';

export interface WebQuery {
  readonly text: string;
  readonly limit: number;
  readonly freshness?: Freshness;
  /** BCP 47 tag such as `de` or `pt-BR`. */
  readonly language?: string;
  /** ISO 3166-1 alpha-2 code such as `at`. */
  readonly country?: string;
  /** Restricts results to these hosts and their subdomains; empty allows all. */
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
}

/** One organic result, docs/contract.md 4.5. */
export interface WebResult {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  /** Plain text. */
  readonly snippet: string;
  /** Starts at 1. */
  readonly position: number;
  /** As returned by the engine: a date, or text such as "3 days ago". */
  readonly date: string | null;
  readonly sitelinks: readonly { readonly title: string; readonly url: string }[];
  /** The engine's score, if it returns one. */
  readonly score?: number;
}

export interface WebSearchOutcome {
  readonly query: string;
  /** The engine that answered. */
  readonly engine: string;
  readonly results: readonly WebResult[];
  readonly related: readonly string[];
  readonly questions: readonly {
    readonly question: string;
    readonly snippet: string;
    readonly url: string;
    readonly title: string;
  }[];
  /** Notes for the reader, such as an engine that failed. */
  readonly notes: readonly string[];
}

/**
 * Searches the web. Results are unique by page, best first; empty if nothing is found. Throws `rate_limited` or
 * `timeout` if all engines failed that way, otherwise `provider_failed`.
 */
export interface WebSearch {
  /** Engine names in order of preference. */
  readonly engines: readonly string[];
  search(query: WebQuery, signal: AbortSignal): Promise<WebSearchOutcome>;
}
