import type { Metadata, PageSpan } from '../../documents/document.ts';
import type { NestingBudget } from './containers/nesting-budget.ts';
import type { ImageReader } from './image/image-reader.ts';

/** A typed range of the extracted text; blocks are ordered, do not overlap, and need not cover white space. */
export interface Block {
  readonly kind: 'heading' | 'paragraph' | 'list' | 'table' | 'code' | 'quote';
  /** UTF-16 offsets into `text`, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** 1 to 6, headings only. */
  readonly level?: number;
  /** The text of a heading without its markup; headings only; the text range itself when absent. */
  readonly label?: string;
}

/** A document as read: plain or Markdown-like text that is stored unchanged, and the positions of its parts. */
export interface ReadDocument {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Empty for formats without pages. */
  readonly pages: readonly PageSpan[];
  /** The document's own title, when it has one. */
  readonly title?: string;
  /** Author, dates, language… as the format provides them. Metadata from the caller overrides these. */
  readonly metadata: Metadata;
}

export interface FileInput {
  readonly bytes: Uint8Array;
  readonly fileName: string;
  readonly signal: AbortSignal;
  /** Size limit for nested files; absent for a file that is not nested. */
  readonly budget?: NestingBudget;
  /** Reads pictures; absent when not configured. */
  readonly readImage?: ImageReader;
}

export interface ReaderInput extends FileInput {
  /** The detected type, as in the registry of file types. */
  readonly type: string;
  /**
   * Reads a file nested in this one with the reader of its own format. Injected, because readers of containers would
   * otherwise import the registry that loads them. Throws the errors of that reader, and `invalid_request` for a
   * container that is nested too deeply.
   */
  readonly readNested: ReadNested;
}

export type ReadNested = (file: NestedFile, budget: NestingBudget) => Promise<ReadDocument>;

export interface NestedFile extends Pick<FileInput, 'bytes' | 'fileName' | 'signal' | 'readImage'> {
  readonly mediaType?: string;
}

/**
 * Reads one format; its row in `file-types.ts` says which. Throws ServiceError with a message fit for the document's
 * record: `invalid_request` when the bytes are not valid in that format, `too_large` when a limit is exceeded.
 */
export interface Reader {
  read(input: ReaderInput): Promise<ReadDocument>;
}
