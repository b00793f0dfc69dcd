import type { Document } from '../documents/document.ts';

/** Documents by where they came from, for whoever keeps a corpus in step with a place outside. */
export interface SourceRecords {
  /** The owner's document of that source, an absolute URL. */
  find(ownerId: string, source: string): Promise<Document | undefined>;
  /** The owner's documents whose source begins with `prefix`, in the order of their sources, those after `after`. */
  below(
    ownerId: string,
    query: { readonly prefix: string; readonly contentHash?: string; readonly after?: string; readonly limit: number },
  ): Promise<readonly Document[]>;
  /**
   * Says that a document is somewhere else now, under another name; its content, chunks and vectors stay as they are.
   * A title that was its file name becomes the new one.
   */
  relocate(id: string, place: { readonly source: string; readonly fileName: string }): Promise<Document>;
}
