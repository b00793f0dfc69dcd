import type { Document, Metadata } from '../documents/document.ts';

export interface SourcePlace {
  /** An absolute URL. */
  readonly source: string;
  readonly id: string;
}

export interface FoundBySource {
  readonly document: Document;
  /** False if the document was found by its identifier only. */
  readonly hasSource: boolean;
  /** The settings of its latest ingestion. */
  readonly settings: Metadata;
}

/** Documents by source, for synchronising a corpus with an external location. */
export interface SourceRecords {
  /** For each place, the owner's document with that source, or else the document with that identifier. */
  find(ownerId: string, places: readonly SourcePlace[]): Promise<readonly (FoundBySource | undefined)[]>;
  /** The owner's documents whose source begins with `prefix`, ordered by source, starting after `after`. */
  below(
    ownerId: string,
    query: { readonly prefix: string; readonly contentHash?: string; readonly after?: string; readonly limit: number },
  ): Promise<readonly Document[]>;
  /**
   * Changes the source and file name of a document; its content, chunks and vectors stay unchanged. A title that was
   * the old file name becomes the new one.
   */
  updateSource(id: string, change: { readonly source: string; readonly fileName: string }): Promise<Document>;
}
