/** What keeping a folder in step did with one file; `name` is its path. */
export type FolderStep =
  | {
      readonly type: 'document';
      readonly name: string;
      readonly outcome: 'ingested' | 'replaced' | 'duplicate' | 'failed';
      readonly documentId: string | null;
      readonly reason?: string;
    }
  | { readonly type: 'unchanged'; readonly name: string }
  | { readonly type: 'moved'; readonly name: string; readonly from: string; readonly documentId: string }
  | { readonly type: 'removed'; readonly name: string; readonly documentId: string }
  /** It is being written to, or somebody has it for himself just now. */
  | { readonly type: 'unsettled'; readonly name: string }
  /** Documents are kept, because their absence may mean something else. */
  | { readonly type: 'kept'; readonly name: string; readonly reason: string };
