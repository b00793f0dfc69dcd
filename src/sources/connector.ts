import type { Metadata } from '../documents/document.ts';
import type { McpServers } from './mcp/mcp-servers.ts';

/** An item that a source lists: a file, a page, a message. */
export interface RemoteItem {
  readonly kind: 'item';
  /** Names the item within its source for as long as it is the same one, such as a path; at most 1,000 bytes. */
  readonly key: string;
  /** Changes exactly when the content does: an ETag, a revision, a hash. */
  readonly version: string;
  /**
   * The source of its document: an absolute URL that says where it is and stays the same when the content changes. It
   * begins with the address of the source.
   */
  readonly uri: string;
  /** With its extension, by which the format is recognised where `read` names no media type. */
  readonly fileName: string;
  /** Bytes, where the listing says; larger ones than may be read are not asked for. */
  readonly size?: number;
  readonly title?: string;
  /** ISO 8601. */
  readonly modified?: string;
  /** Where a person can look at it. */
  readonly link?: string;
  /** Kept with the document. */
  readonly metadata?: Metadata;
}

/** What a listing yields, in any order. */
export type Listed =
  | RemoteItem
  /** An item that the source says is gone; for listings of changes. */
  | { readonly kind: 'removed'; readonly key: string }
  /** One that cannot be read at all, such as a symbolic link. It counts as not there. */
  | { readonly kind: 'skipped'; readonly key: string; readonly reason: string }
  /** A part that could not be listed. What it contains is unknown, so nothing is taken as gone in this listing. */
  | { readonly kind: 'failed'; readonly key: string; readonly reason: string }
  /** One item that could not be looked at. What is known of it stays. */
  | { readonly kind: 'unknown'; readonly key: string; readonly reason: string }
  /**
   * The last of a listing that ran to its end. `all`: items that were not listed are gone. `changes`: they are as they
   * were. The cursor is what the next listing of changes begins at.
   */
  | { readonly kind: 'end'; readonly covers: 'all' | 'changes'; readonly cursor?: string };

/** Content of an item. */
export interface RemoteContent {
  readonly bytes: Uint8Array;
  /** Without parameters. */
  readonly mediaType?: string;
  /** Replaces that of the listing. */
  readonly fileName?: string;
}

export interface ReadOptions {
  /** More is refused with `too_large`, before it is in memory. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * An open source. Its listing and content are untrusted. Methods throw ServiceError: `unauthenticated` when access is
 * refused and new credentials are needed, which ends the synchronisation; `rate_limited` with `retryAfter`,
 * `provider_failed` and `timeout`, which are tried again; `not_found` for an item that is gone meanwhile; `unsupported_type`
 * for one that is skipped; any other concerns the one item. An item that fails is read again in later synchronisations, with
 * growing pauses.
 */
export interface SourceConnector {
  /** Every listing names all items, and needs the cursor only to find out which are gone. */
  readonly needsCursor?: true;
  /**
   * Everything that is there, or, with the cursor of an earlier listing, what changed since. A connector that cannot tell
   * what changed, or no longer knows the cursor, lists everything.
   */
  list(cursor: string | undefined, signal: AbortSignal): AsyncIterable<Listed>;
  /** Says which items will be read next, so that they can be fetched together. */
  prepare?(items: readonly RemoteItem[]): void;
  /** Of this listing, or of one long ago whose item failed: all that is needed is in the item. */
  read(item: RemoteItem, options: ReadOptions): Promise<RemoteContent>;
  /** Ends connections and removes temporary files. */
  close?(): Promise<void>;
}

/** How connectors reach their servers: private addresses are refused unless `CITEWELL_ALLOW_HOSTS` opens them. */
export interface RemoteNetwork {
  /**
   * As the global `fetch`; every connection is checked, also those of redirects. Throws `forbidden` for a refused address
   * and `provider_failed` for one that does not answer.
   */
  readonly fetch: typeof fetch;
  /**
   * For other protocols: the address of the host that a connection may be made to. The connection must use this address
   * and not resolve the name anew. `ports` are those allowed on public hosts. Throws `forbidden`.
   */
  addressOf(host: string, port: number, ports: readonly number[]): Promise<string>;
}

export interface ConnectorParts {
  readonly network: RemoteNetwork;
  /** Servers whose resources may be followed; undefined without any. */
  readonly mcp?: McpServers | undefined;
}
