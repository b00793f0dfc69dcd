/** A resource as listed by an MCP server. All fields are untrusted. */
export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
  /** ISO 8601, if the server conforms to the specification. */
  readonly lastModified?: string | undefined;
}

export interface McpResourcePage {
  readonly resources: readonly McpResource[];
  /** Cursor of the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** One content of a resource: text, or bytes in base64. */
export type McpContent = { readonly uri: string; readonly mimeType?: string | undefined } & (
  | { readonly text: string }
  | { readonly blob: string }
);

/**
 * A dedicated connection to a server, opened by the first request and reopened after it was lost. Methods throw
 * ServiceError: `unauthenticated`, `provider_failed`, `timeout`, `too_large` for a response above the size limit,
 * `not_found` for a resource that no longer exists, and `invalid_request` for a server without resources.
 */
export interface McpConnection {
  list(cursor: string | undefined, signal: AbortSignal): Promise<McpResourcePage>;
  read(uri: string, signal: AbortSignal): Promise<readonly McpContent[]>;
  close(): Promise<void>;
}

/** The MCP servers whose resources may be followed. */
export interface McpServers {
  readonly names: readonly string[];
  /** Does not connect yet. Throws `invalid_request` for an unknown name. */
  connect(name: string): McpConnection;
}
