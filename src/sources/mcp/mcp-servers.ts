/** A resource as an MCP server lists it. All of it is untrusted. */
export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
  /** ISO 8601, if the server keeps to the specification. */
  readonly lastModified?: string | undefined;
}

export interface McpResourcePage {
  readonly resources: readonly McpResource[];
  /** Where the next page begins; undefined for the last. */
  readonly next: string | undefined;
}

/** A part of what a resource contains: text, or bytes in base64. */
export type McpContent = { readonly uri: string; readonly mimeType?: string | undefined } & (
  | { readonly text: string }
  | { readonly blob: string }
);

/**
 * A connection of its own to a server, made with the first request and again when it was lost. Methods throw
 * ServiceError: `unauthenticated`, `provider_failed`, `timeout`, `too_large` for an answer that is longer than is read,
 * `not_found` for a resource that is gone, and `invalid_request` for a server without resources.
 */
export interface McpConnection {
  list(cursor: string | undefined, signal: AbortSignal): Promise<McpResourcePage>;
  read(uri: string, signal: AbortSignal): Promise<readonly McpContent[]>;
  close(): Promise<void>;
}

/** The MCP servers whose resources may be followed. */
export interface McpServers {
  readonly names: readonly string[];
  /** Opens nothing yet. Throws `invalid_request` for another name. */
  connect(name: string): McpConnection;
}
