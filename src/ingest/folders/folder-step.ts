/** Result of synchronising one file of a folder; `name` is its path. */
export type FolderStep =
  | {
      readonly type: 'document';
      readonly name: string;
      readonly outcome: 'ingested' | 'replaced' | 'duplicate' | 'failed';
      readonly documentId: string | null;
      readonly reason?: string;
    }
  | { readonly type: 'unchanged'; readonly name: string }
  /** A file of a kind that is not read. */
  | { readonly type: 'skipped'; readonly name: string; readonly reason: string }
  | { readonly type: 'moved'; readonly name: string; readonly from: string; readonly documentId: string }
  | { readonly type: 'removed'; readonly name: string; readonly documentId: string }
  /** The file is being written to, or is locked by another program. */
  | { readonly type: 'unsettled'; readonly name: string }
  /** Documents are kept, because their files may be missing for another reason than deletion. */
  | { readonly type: 'kept'; readonly name: string; readonly reason: string };
