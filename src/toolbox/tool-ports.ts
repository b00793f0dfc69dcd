import type { Verdict } from '../citations/check-citation.ts';
import type { Document, IngestionStatus, Metadata } from '../documents/document.ts';
import type { DeletionReceipt } from '../store/corpus.ts';
import type { CitedQuote } from './cited-quote.ts';

// What a tool may use that someone calls by itself, outside of an agent's run. All of it acts in the caller's name.

/** A document on its way in. */
export interface IntakeItem {
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
  /** Names or identifiers; new ones are made. */
  readonly collections: readonly string[];
  /** An absolute `file:` or `http(s):` URL; taken in again, it takes the place of what came from it before. */
  readonly source?: string | undefined;
}

export interface IntakeStep {
  readonly status: IngestionStatus;
  readonly done?: number;
  readonly total?: number;
}

export interface Intake {
  /**
   * Keeps the item for good and begins to read it in the background, whoever waits for it. Throws `conflict`,
   * `unsupported_type`, `too_large`, `invalid_request`.
   */
  add(item: IntakeItem): Promise<{
    readonly outcome: 'accepted' | 'unchanged' | 'duplicate';
    readonly document: Document;
  }>;
  /** Settles when the document is ready or has failed, or when the time is up; throws only the signal's reason. */
  wait(
    documentId: string,
    milliseconds: number,
    signal: AbortSignal,
    onStep?: (step: IntakeStep) => void,
  ): Promise<void>;
  /** Throws `forbidden` for a document that is someone else's. */
  remove(document: Document): Promise<DeletionReceipt>;
}

/** A folder of this machine whose documents are kept in step with it, and how far that is. */
export interface FollowedFolder {
  readonly path: string;
  /** `reading` until every file was looked at once. */
  readonly state: 'reading' | 'following' | 'stopped';
  /** Files that were looked at. */
  readonly done: number;
  /** Files that there are; undefined until they are counted. */
  readonly total?: number | undefined;
  readonly failed: number;
  /** Why it stopped. */
  readonly reason?: string | undefined;
}

export interface FolderFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedAt: string;
  readonly state: 'ingested' | 'ingesting' | 'changed' | 'failed' | 'not_ingested' | 'unsupported';
  readonly documentId?: string;
}

/** What bringing a folder's documents in step with it has done so far. */
export interface FolderSyncState {
  status: 'running' | 'ended' | 'failed';
  /** Files by what was done with them: ingested, replaced, unchanged, moved, removed, failed… */
  readonly counts: Record<string, number>;
  readonly failures: { readonly path: string; readonly reason: string }[];
}

/** Folders of this machine, by real paths that the caller may read. */
export interface FolderSync {
  list(
    path: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly files: readonly FolderFile[]; readonly next?: number }>;
  /** As it stands when it ends, or when the time is up; it goes on either way, and a second call joins the first. */
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

/** How a piece of research stands that was started by an earlier call. */
export interface ResearchState {
  readonly id: string;
  readonly question: string;
  readonly status: 'running' | 'ended' | 'failed' | 'cancelled';
  /** What it has done so far, a line each. */
  readonly steps: readonly string[];
  /** Once it has ended. */
  readonly answer?: {
    readonly text: string;
    readonly sources: readonly {
      readonly marker: string;
      readonly title: string;
      readonly uri: string;
      /** Undefined for pages of the web. */
      readonly documentId?: string | undefined;
      readonly verdict: Verdict;
      readonly quotes: readonly CitedQuote[];
    }[];
    /** Sentences that no source supports. */
    readonly unsupported: readonly string[];
    readonly model: string;
    readonly conversationId: string;
  };
  /** Why it failed. */
  readonly failure?: string;
}

/** The research agent, by handle: it goes on between calls. */
export interface ResearchService {
  start(question: string): Promise<ResearchState>;
  /** As it stands, or as soon as it ends within the time. Throws `not_found` for an unknown or foreign handle alike. */
  read(id: string, milliseconds: number, signal: AbortSignal): Promise<ResearchState>;
  cancel(id: string): Promise<ResearchState>;
}

/** A tool that is not there, and why. */
export interface AbsentTool {
  readonly name: string;
  readonly reason: string;
}

/** What the corpus holds and what works on it. */
export interface CorpusFacts {
  readonly documents: Readonly<Record<IngestionStatus, number>>;
  readonly chunks: number;
  readonly pendingIndexWrites: number;
  readonly embedder: string;
  readonly model: string;
  readonly index: string;
  readonly hints: readonly string[];
}
