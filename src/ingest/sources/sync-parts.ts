import type { SourceConnector } from '../../sources/connector.ts';
import type { FollowedSourceRecords } from '../../store/followed-sources.ts';
import type { FolderTarget } from '../folders/folder-target.ts';
import type { FailedItemParts, FailedItems } from './failed-items.ts';

/** What became of one item; `waiting`: it failed before, and is tried again in a later synchronisation. */
export interface RemoteStep {
  readonly outcome:
    | 'ingested'
    | 'replaced'
    | 'unchanged'
    | 'duplicate'
    | 'failed'
    | 'waiting'
    | 'removed'
    | 'kept'
    | 'skipped';
  readonly name: string;
  readonly documentId: string | null;
  readonly reason?: string;
}

export interface RemoteSyncParts extends Pick<FailedItemParts, 'now'> {
  readonly id: string;
  /** Names this synchronisation; another one has another name. */
  readonly pass: string;
  readonly connector: SourceConnector;
  readonly records: Pick<
    FollowedSourceRecords,
    | 'cursorOf'
    | 'saveCursor'
    | 'items'
    | 'saveItems'
    | 'unseen'
    | 'hasItems'
    | 'removeItems'
    | 'isOfOthers'
    | 'releaseDuplicates'
  > &
    FailedItemParts['records'];
  readonly target: Pick<FolderTarget, 'ingest' | 'documentOf' | 'updateSource' | 'deleteDocument'>;
  /** Lists everything although a cursor is known, and tries all again that failed. */
  readonly isFull: boolean;
  readonly keepDeleted: boolean;
  readonly maxBytes: number;
  /** The names of files that can be read. */
  readonly isSupported: (fileName: string) => boolean;
  readonly signal: AbortSignal;
}

/** What both listings of a synchronisation share. */
export interface SyncParts extends RemoteSyncParts {
  readonly failed: FailedItems;
}

/** What the work on one listing needs. */
export interface PassParts extends SyncParts {
  /** A document is gone, or has other content now: items that shared its content are read again. */
  release(documentId: string): Promise<void>;
  /** Documents that were released in this pass. */
  readonly released: ReadonlySet<string>;
}
