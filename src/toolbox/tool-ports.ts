import type { Verdict } from '../citations/verdict.ts';
import type { Document, IngestionStatus, Metadata } from '../documents/document.ts';
import type { Filter } from '../documents/filter.ts';
import type { DeletionReceipt } from '../store/corpus.ts';
import type { CitedQuote } from './cited-quote.ts';

// Ports for tools that are called directly, outside of an agent run. They act on behalf of the caller.

/** A document to ingest. */
export interface IngestionItem {
  readonly content:
    | { readonly kind: 'text'; readonly text: string }
    | {
        readonly kind: 'file';
        readonly bytes: Uint8Array;
        readonly fileName: string;
        readonly mediaType?: string | undefined;
      };
  readonly title?: string | undefined;
  readonly metadata: Metadata;
  /** Names or ids; unknown names create collections. */
  readonly collections: readonly string[];
  /** Absolute `file:` or `http(s):` URL; a document with the same source is replaced. */
  readonly source?: string | undefined;
}

export interface IngestionStep {
  readonly status: IngestionStatus;
  readonly done?: number;
  readonly total?: number;
}

export interface ToolIngestion {
  /** Throws `too_large` for a file above the limit of its format, and reads no more of it than its beginning. */
  refuseLarge(path: string, sizeInBytes: number): Promise<void>;
  /**
   * Stores the item durably and ingests it in the background. Throws `conflict`, `unsupported_type`, `too_large` or
   * `invalid_request`.
   */
  add(item: IngestionItem): Promise<{
    readonly outcome: 'accepted' | 'unchanged' | 'duplicate';
    readonly document: Document;
  }>;
  /** Settles when the document is ready or has failed, or after the timeout; rejects only with the signal's reason. */
  wait(
    documentId: string,
    milliseconds: number,
    signal: AbortSignal,
    onStep?: (step: IngestionStep) => void,
  ): Promise<void>;
  /** Throws `forbidden` for documents of other users. */
  remove(document: Document): Promise<DeletionReceipt>;
}

/** Progress of a local folder whose documents are kept in sync. */
export interface FollowedFolder {
  readonly path: string;
  /** `reading` until every file was checked once. */
  readonly state: 'reading' | 'following' | 'stopped';
  /** Number of files checked. */
  readonly done: number;
  /** Number of files; undefined while counting. */
  readonly total?: number | undefined;
  readonly failed: number;
  /** Why synchronization stopped. */
  readonly reason?: string | undefined;
}

export interface FolderFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedAt: string;
  readonly state: 'ingested' | 'ingesting' | 'changed' | 'failed' | 'not_ingested' | 'unsupported';
  readonly documentId?: string;
}

/** State of a folder synchronization. */
export interface FolderSyncState {
  status: 'running' | 'ended' | 'failed';
  /** Number of files by outcome: ingested, replaced, unchanged, moved, removed, failed… */
  readonly counts: Record<string, number>;
  /** Why files failed or were skipped: at most twenty, skipped ones last. Outcomes are those of `counts`. */
  failures: { readonly path: string; readonly outcome: string; readonly reason: string }[];
}

/** Local folders, addressed by real paths that the caller may read. */
export interface FolderSync {
  list(
    path: string,
    page: { readonly offset: number; readonly limit: number; readonly signal: AbortSignal },
  ): Promise<{ readonly files: readonly FolderFile[]; readonly next?: number }>;
  /** Returns the state when done or at the timeout. The synchronization continues; a second call with the same `keepDeleted` joins it. */
  sync(
    path: string,
    options: {
      readonly keepDeleted: boolean;
      readonly waitMs: number;
      readonly signal: AbortSignal;
      readonly onStep: (done: number) => void;
    },
  ): Promise<FolderSyncState>;
}

/** State of a research run started by an earlier call. */
export interface ResearchState {
  readonly id: string;
  readonly question: string;
  readonly status: 'running' | 'ended' | 'failed' | 'cancelled';
  /** Steps so far, one line each. */
  readonly steps: readonly string[];
  /** Present once the run has ended. */
  readonly answer?: {
    readonly text: string;
    readonly sources: readonly {
      readonly marker: string;
      readonly title: string;
      readonly uri: string;
      /** Undefined for web pages. */
      readonly documentId?: string | undefined;
      /** Short name of its format: `pdf`, `pptx`… */
      readonly documentType?: string | undefined;
      readonly verdict: Verdict;
      readonly quotes: readonly CitedQuote[];
    }[];
    /** Claims that no source supports. */
    readonly unsupported: readonly string[];
    readonly model: string;
    readonly conversationId: string;
  };
  readonly failure?: string;
}

/** Research runs by id; they continue between calls. */
export interface ResearchService {
  /** Researches what the caller may see within `scope`. */
  start(question: string, scope: Filter): Promise<ResearchState>;
  /** Returns the state when the run ends or at the timeout. Throws `not_found` for unknown and foreign ids alike. */
  read(id: string, milliseconds: number, signal: AbortSignal): Promise<ResearchState>;
  cancel(id: string): Promise<ResearchState>;
}

/** A tool that is unavailable, with the reason. */
export interface AbsentTool {
  readonly name: string;
  readonly reason: string;
}

/** Status of the corpus and of the models in use. */
export interface CorpusFacts {
  readonly documents: Readonly<Record<IngestionStatus, number>>;
  readonly chunks: number;
  readonly pendingIndexWrites: number;
  readonly embedder: string;
  readonly model: string;
  readonly index: string;
  readonly hints: readonly string[];
}
