/** How long ago a page was published at most. */
export type Freshness = 'day' | 'week' | 'month' | 'year';

export interface WebQuery {
  readonly text: string;
  readonly limit: number;
  readonly freshness?: Freshness;
  /** As in `de` or `pt-BR`. */
  readonly language?: string;
  /** Two letters, as in `at`. */
  readonly country?: string;
  /** Hosts that results must be of, with those below them; empty means all. */
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
  /** From 1. */
  readonly position: number;
  /** As the engine gave it: a date, or words such as "3 days ago". */
  readonly date: string | null;
  readonly sitelinks: readonly { readonly title: string; readonly url: string }[];
  /** The engine's own, where it gives one. */
  readonly score?: number;
}

export interface WebSearchOutcome {
  readonly query: string;
  /** Which engine answered. */
  readonly engine: string;
  readonly results: readonly WebResult[];
  readonly related: readonly string[];
  readonly questions: readonly {
    readonly question: string;
    readonly snippet: string;
    readonly url: string;
    readonly title: string;
  }[];
  /** What a reader should know, such as an engine that failed before. */
  readonly notes: readonly string[];
}

/**
 * Asks the outside world. Empty when nothing is found, each page once, best first. Throws ServiceError when it cannot
 * ask: `rate_limited` or `timeout` where that is all that is wrong, else `provider_failed`.
 */
export interface WebSearch {
  /** Names of the engines, first choice first. */
  readonly engines: readonly string[];
  search(query: WebQuery, signal: AbortSignal): Promise<WebSearchOutcome>;
}
