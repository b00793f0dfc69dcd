import type { Metadata } from '../../documents/document.ts';

/** A file or page to be ingested. */
export interface IngestItem {
  /** An absolute `file:` or `http(s):` URL, from which the document's identifier is derived. */
  readonly source: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  readonly mediaType?: string;
  readonly metadata: Metadata;
  /** Names or identifiers; new ones are created. */
  readonly collections: readonly string[];
  /** Whether a model writes contexts for its chunks; undefined keeps the earlier setting. */
  readonly isEnriched?: boolean;
}

export type IngestOutcome = 'ingested' | 'replaced' | 'unchanged' | 'duplicate' | 'failed';

export interface IngestResult {
  readonly outcome: IngestOutcome;
  readonly documentId: string | null;
  /** Why it failed. */
  readonly reason?: string;
}

/** A document of the user with an external source, and its status. */
export interface SourcedDocument {
  readonly id: string;
  readonly source: string;
  readonly contentHash: string;
  readonly status: string;
}

/** Number of documents to delete together: one check that nothing is left of them takes as long as deleting dozens. */
export const DELETED_TOGETHER = 50;

/** Destination of a folder's files. Methods throw ServiceError. */
export interface FolderTarget {
  /** The address of a long-running server that processes queued tasks; undefined when there is none. */
  readonly server: string | undefined;
  /**
   * An unreadable document is returned as a result; an error that would affect all others is thrown. Also thrown is
   * `unsupported_type`, which leaves no new document.
   */
  ingest(item: IngestItem, signal: AbortSignal): Promise<IngestResult>;
  /** The document with this source. */
  documentOf(source: string): Promise<SourcedDocument | undefined>;
  /** The documents with these sources, in their order. */
  documentsOf(sources: readonly string[]): Promise<readonly (SourcedDocument | undefined)[]>;
  /** Documents whose source begins with the prefix, ordered by source. */
  documentsBelow(query: {
    readonly prefix: string;
    readonly contentHash?: string;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly SourcedDocument[]>;
  /** Changes the source of a document whose content is unchanged. */
  updateSource(id: string, change: { readonly source: string; readonly fileName: string }): Promise<void>;
  /** Deletes those of the documents that exist, each with all its data or not at all. */
  deleteDocuments(ids: readonly string[]): Promise<unknown>;
}
