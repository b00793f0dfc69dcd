/** Numbers of what there is to copy. */
export interface SourceCounts {
  readonly user: number;
  readonly collection: number;
  readonly document: number;
  readonly conversation: number;
}

/** Where a migration copies from. Records are as R2R's interface returns them, and are checked by whoever reads them. */
export interface MigrationSource {
  /** Without credentials, for messages. */
  readonly name: string;
  /** Whether it has all users with what each of them owns; otherwise everything is that of one user. */
  readonly hasUsers: boolean;
  /** Whose content is copied: an e-mail, or all users. */
  describe(): Promise<string>;
  counts(): Promise<SourceCounts>;
  /** None without `hasUsers`. */
  users(): AsyncIterable<unknown>;
  collections(): AsyncIterable<unknown>;
  documents(): AsyncIterable<unknown>;
  conversations(): AsyncIterable<unknown>;
  /** In order. */
  messagesOf(conversationId: string): Promise<readonly unknown[]>;
  /** The original file; undefined where none is kept. */
  fileOf(documentId: string): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string } | undefined>;
  /** Texts, in order. */
  chunksOf(documentId: string): AsyncIterable<unknown>;
  /** The default collection of the only user here, without `hasUsers`. */
  defaultOwner(): Promise<string>;
  close(): Promise<void>;
}
