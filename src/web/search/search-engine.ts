import type { WebQuery } from '../web-search.ts';

/** A request to an engine, independent of the HTTP client. */
export interface EngineRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON by POST; without a body, the request is a GET. */
  readonly body?: { readonly [key: string]: unknown };
}

export interface EngineResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  readonly date?: string | undefined;
  readonly sitelinks?: readonly { readonly title: string; readonly url: string }[];
  readonly score?: number | undefined;
}

export interface EngineReply {
  readonly results: readonly EngineResult[];
  readonly related?: readonly string[];
  readonly questions?: readonly {
    readonly question: string;
    readonly snippet: string;
    readonly url: string;
    readonly title: string;
  }[];
  readonly notes?: readonly string[];
}

/** Adapter of one search service: two pure functions that map our query to its request and its JSON to our results. */
export interface SearchEngine {
  readonly name: string;
  request(query: WebQuery): EngineRequest;
  /** Throws ZodError for an unexpected response. */
  read(reply: unknown): EngineReply;
  /** Error messages by HTTP status. */
  readonly advice?: Readonly<Record<number, string>>;
}

/** The query text with domain filters as operators: `(site:a OR site:b) -site:c`. */
export function withSites({ text, includeDomains, excludeDomains }: WebQuery): string {
  const included = includeDomains.map((domain) => `site:${domain}`);
  const one = included.length > 1 ? `(${included.join(' OR ')})` : included.join('');
  return [text, one, ...excludeDomains.map((domain) => `-site:${domain}`)].filter((part) => part !== '').join(' ');
}

/** An address with query parameters; undefined ones are omitted. */
export function withParameters(
  address: string,
  parameters: Readonly<Record<string, string | number | undefined>>,
): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** `pt-BR` → `pt`. */
export const baseLanguage = (language: string | undefined): string | undefined =>
  language?.split('-')[0]?.toLowerCase();
