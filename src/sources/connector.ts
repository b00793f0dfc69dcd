import type { Metadata } from '../documents/document.ts';
import type { McpServers } from './mcp/mcp-servers.ts';

/** An item that a source lists: a file, a page, a message. */
export interface RemoteItem {
  readonly kind: 'item';
  /** Identifies the item within its source across listings, for example its path; at most 1,000 bytes. */
  readonly key: string;
  /** Changes exactly when the content does: an ETag, a revision, a hash. */
  readonly version: string;
  /**
   * URI of the resulting document: an absolute URL that begins with the address of the source and does not change when
   * the content does.
   */
  readonly uri: string;
  /** Includes the extension, which determines the format if `read` returns no media type. */
  readonly fileName: string;
  /** Size in bytes, if the listing reports it. Items above the size limit are not read. */
  readonly size?: number;
  readonly title?: string;
  /** ISO 8601. */
  readonly modified?: string;
  /** URL at which a person can view it. */
  readonly link?: string;
  /** Stored with the document. */
  readonly metadata?: Metadata;
}

/** What a listing yields, in any order. */
export type Listed =
  | RemoteItem
  /** The source reports that this item no longer exists; used in listings of changes. */
  | { readonly kind: 'removed'; readonly key: string }
  /** An item that can never be read, such as a symbolic link. It is treated as absent. */
  | { readonly kind: 'skipped'; readonly key: string; readonly reason: string }
  /** A part that could not be listed. Its content is unknown, so this listing removes no unlisted items. */
  | { readonly kind: 'failed'; readonly key: string; readonly reason: string }
  /** A single item whose state could not be determined. Its stored state is kept. */
  | { readonly kind: 'unknown'; readonly key: string; readonly reason: string }
  /**
   * Ends every complete listing. `all`: items that were not listed no longer exist. `changes`: they are unchanged. The
   * next listing of changes starts from the cursor.
   */
  | { readonly kind: 'end'; readonly covers: 'all' | 'changes'; readonly cursor?: string };

/** Content of an item, as downloaded. */
export interface RemoteContent {
  readonly bytes: Uint8Array;
  /** MIME type without parameters. */
  readonly mediaType?: string;
  /** Overrides the file name from the listing. */
  readonly fileName?: string;
}

export interface ReadOptions {
  /** Larger content is rejected with `too_large` before it is fully loaded into memory. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * An open source. Its listing and content are untrusted. Methods throw ServiceError: `unauthenticated` if access is
 * refused and new credentials are needed, which ends the synchronisation; `rate_limited` with `retryAfter`,
 * `provider_failed` and `timeout`, which are retried; `not_found` for an item deleted in the meantime;
 * `unsupported_type` for an item to skip. Any other code concerns that item only. Failed items are retried in later
 * synchronisations, with increasing backoff.
 */
export interface SourceConnector {
  /** Every listing yields all items; the cursor is needed only to detect deletions, so full passes receive it too. */
  readonly needsCursor?: true;
  /**
   * Lists all items or, given the cursor of an earlier listing, the changes since then. A connector that cannot list
   * changes, or no longer recognises the cursor, lists everything.
   */
  list(cursor: string | undefined, signal: AbortSignal): AsyncIterable<Listed>;
  /** Announces the items to be read next, so that the connector can fetch them in one batch. */
  prepare?(items: readonly RemoteItem[]): void;
  /** The item may come from a much earlier listing (a retry), so `read` must rely on the item alone. */
  read(item: RemoteItem, options: ReadOptions): Promise<RemoteContent>;
  /** Closes connections and removes temporary files. */
  close?(): Promise<void>;
}

/** Network access for connectors. Private addresses are refused unless `CITEWELL_ALLOW_HOSTS` allows them. */
export interface RemoteNetwork {
  /**
   * Like the global `fetch`, but every connection is checked, including those of redirects. Throws `forbidden` for a
   * refused address and `provider_failed` if the server cannot be reached.
   */
  readonly fetch: typeof fetch;
  /**
   * For other protocols: resolves the host to an address that may be connected to. The caller must connect to this
   * address and not resolve the name again. `ports` are the ports allowed on public hosts. Throws `forbidden`.
   */
  addressOf(host: string, port: number, ports: readonly number[]): Promise<string>;
}

export interface ConnectorParts {
  readonly network: RemoteNetwork;
  /** MCP servers whose resources may be followed; undefined if none is configured. */
  readonly mcp?: McpServers | undefined;
}
