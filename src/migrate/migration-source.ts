/** Numbers of items to copy. */
export interface SourceCounts {
  readonly user: number;
  readonly collection: number;
  readonly document: number;
  readonly conversation: number;
}

/** Source of a migration. Records have the format of R2R's API and are not validated; the caller does that. */
export interface MigrationSource {
  /** Name for messages, without credentials. */
  readonly name: string;
  /** Whether the source provides all users with their content, or only the content of a single user. */
  readonly hasUsers: boolean;
  /** Whose content is copied: an e-mail, or all users. */
  describe(): Promise<string>;
  counts(): Promise<SourceCounts>;
  /** Empty without `hasUsers`. */
  users(): AsyncIterable<unknown>;
  collections(): AsyncIterable<unknown>;
  documents(): AsyncIterable<unknown>;
  conversations(): AsyncIterable<unknown>;
  /** The messages in their order. */
  messagesOf(conversationId: string): Promise<readonly unknown[]>;
  /** The original file; undefined if none is kept. */
  fileOf(documentId: string): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string } | undefined>;
  /** Texts of the chunks in document order. */
  chunksOf(documentId: string): AsyncIterable<unknown>;
  /** Identifier of the single user on the source; used only without `hasUsers`. */
  defaultOwner(): Promise<string>;
  close(): Promise<void>;
}
