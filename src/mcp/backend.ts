import type { Principal } from '../access/principal.ts';
import type { Chunk } from '../documents/chunk.ts';
import type { Document } from '../documents/document.ts';
import type { Paged } from '../store/corpus.ts';
import type { ToolOutcome } from '../toolbox/call-tool.ts';
import type { AbsentTool, CorpusFacts, FollowedFolder } from '../toolbox/tool-ports.ts';

export interface ToolRequest {
  readonly principal: Principal;
  readonly name: string;
  readonly arguments: unknown;
  /** Connection of the request; source numbers continue across its results. Absent for stateless requests. */
  readonly session?: string | undefined;
  /** True when the caller's process serves this client only, so that state between calls belongs to the connection. */
  readonly isOnlyClient?: boolean;
  /** Origin of the web page for the caller, for links to cited passages. */
  readonly pageOrigin?: string | undefined;
  /** Absolute paths of folders whose files the caller may read. */
  readonly folders: readonly string[];
  readonly absent: readonly AbsentTool[];
  /** Folders watched by the caller's process. */
  readonly followed?: readonly FollowedFolder[];
}

export interface ProgressStep {
  readonly message: string;
  readonly done?: number | undefined;
  readonly total?: number | undefined;
}

/** Cancellation and progress of one request. */
export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (step: ProgressStep) => void;
}

/** A change of the corpus. */
export interface CorpusChange {
  /** The changed document; undefined for many. */
  readonly documentId?: string;
  /** Whether the list of documents has changed. */
  readonly isListChanged: boolean;
  /** The document no longer exists. */
  readonly isRemoved?: boolean;
}

/**
 * The operations the MCP server needs, with JSON-compatible values: implemented in this process, or by another process
 * that holds the data folder. Methods throw ServiceError.
 */
export interface Backend {
  /** Throws only the signal's reason; a failed tool is an outcome. */
  call(request: ToolRequest, options: CallOptions): Promise<ToolOutcome>;
  /** Newest first; with a query, documents whose title or summary matches, best first. */
  documents(
    request: { readonly principal: Principal; readonly text?: string; readonly limit: number },
    options: CallOptions,
  ): Promise<Paged<Document>>;
  /** The extracted text. Throws `not_found`. */
  document(
    request: { readonly principal: Principal; readonly id: string },
    options: CallOptions,
  ): Promise<{ readonly document: Document; readonly text: string }>;
  /** Throws `not_found`. */
  chunk(
    request: { readonly principal: Principal; readonly documentId: string; readonly id: string },
    options: CallOptions,
  ): Promise<{ readonly document: Document; readonly chunk: Chunk }>;
  /** A file made by a tool. Throws `not_found`. */
  file(
    request: { readonly principal: Principal; readonly runId: string; readonly name: string },
    options: CallOptions,
  ): Promise<{ readonly mediaType: string; readonly base64: string }>;
  /** Those of the document identifiers, in lower case, that the principal may see, by their present memberships. */
  visible(
    request: { readonly principal: Principal; readonly ids: readonly string[] },
    options: CallOptions,
  ): Promise<readonly string[]>;
  /** Facts about the part of the corpus visible to the principal. */
  facts(request: { readonly principal: Principal }, options: CallOptions): Promise<CorpusFacts>;
  /** Calls the listener after each change; returns a function that unsubscribes. */
  onChange(listener: (change: CorpusChange) => void): () => void;
}

/** Methods callable by name between processes. */
export type Operation = Exclude<keyof Backend, 'onChange'>;
