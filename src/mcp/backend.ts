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
  /** The connection it came over, whose results number sources on and on; absent where requests stand alone. */
  readonly session?: string | undefined;
  /** True where the caller's process serves nobody else, so that what is kept between calls is the connection's. */
  readonly isOnlyClient?: boolean;
  /** Below which files may be read for the caller; absolute. */
  readonly folders: readonly string[];
  readonly absent: readonly AbsentTool[];
  /** Folders that the caller's process keeps in step. */
  readonly followed?: readonly FollowedFolder[];
}

export interface ProgressStep {
  readonly message: string;
  readonly done?: number | undefined;
  readonly total?: number | undefined;
}

/** A request's own way to hear of its progress and to be called off. */
export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (step: ProgressStep) => void;
}

/** Something about the corpus is not as it was. */
export interface CorpusChange {
  /** The document concerned; undefined when many are. */
  readonly documentId?: string;
  /** Whether the list of documents is another now. */
  readonly isListChanged: boolean;
}

/**
 * What the MCP face asks of Citewell, in values that JSON can carry: it may be in this process, or in another one that
 * has the data folder. Methods throw ServiceError.
 */
export interface Backend {
  /** Throws only the signal's reason; failures of the tool are outcomes. */
  call(request: ToolRequest, options: CallOptions): Promise<ToolOutcome>;
  /** Newest first; with a text, those whose title or summary fits, best first. */
  documents(
    request: { readonly principal: Principal; readonly text?: string; readonly limit: number },
    options: CallOptions,
  ): Promise<Paged<Document>>;
  /** The extracted text; throws `not_found`. */
  document(
    request: { readonly principal: Principal; readonly id: string },
    options: CallOptions,
  ): Promise<{ readonly document: Document; readonly text: string }>;
  /** Throws `not_found`. */
  chunk(
    request: { readonly principal: Principal; readonly documentId: string; readonly id: string },
    options: CallOptions,
  ): Promise<{ readonly document: Document; readonly chunk: Chunk }>;
  /** Of what the principal may see. */
  facts(request: { readonly principal: Principal }, options: CallOptions): Promise<CorpusFacts>;
  /** Calls the listener after each change, until the returned function is called. */
  onChange(listener: (change: CorpusChange) => void): () => void;
}

/** The methods that can be asked for by name. */
export type Operation = Exclude<keyof Backend, 'onChange'>;
