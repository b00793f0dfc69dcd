import type { Listed, SourceConnector } from '../../sources/connector.ts';
import type { FollowedSourceRecords } from '../../store/followed-sources.ts';
import type { FolderTarget } from '../folders/folder-target.ts';
import type { FailedItemParts, FailedItems } from './failed-items.ts';

/** Outcome for one item; `waiting`: it failed before and is retried in a later synchronisation. */
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
  /** Unique name of this synchronisation. */
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
  readonly target: Pick<FolderTarget, 'ingest' | 'documentOf' | 'updateSource' | 'deleteDocuments'>;
  /** Lists everything even if a cursor is known, and retries all failed items. */
  readonly isFull: boolean;
  readonly keepDeleted: boolean;
  /** Maximum size in bytes of a file of this name. */
  readonly maxBytesOf: (fileName: string) => number;
  /** Whether a file of this name can be read. */
  readonly isSupported: (fileName: string) => boolean;
  /** Called for each entry of the listing, before its item is processed. */
  readonly onListed?: ((each: Listed) => void) | undefined;
  readonly signal: AbortSignal;
}

/** Dependencies shared by both listings of a synchronisation. */
export interface SyncParts extends RemoteSyncParts {
  readonly failed: FailedItems;
}

/** Dependencies of one listing. */
export interface PassParts extends SyncParts {
  /** Has items that share the content of this document read again, because it was removed or changed. */
  release(documentId: string): Promise<void>;
  /** Documents that were released in this pass. */
  readonly released: ReadonlySet<string>;
}
