import type { Metadata, PageSpan } from '../../documents/document.ts';
import type { Allowance } from './allowance.ts';
import type { Sight } from './sight.ts';

/** What a stretch of the extracted text is; blocks do not overlap, come in order, and need not cover white space. */
export interface Block {
  readonly kind: 'heading' | 'paragraph' | 'list' | 'table' | 'code' | 'quote';
  /** UTF-16 offsets into `text`, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** 1 to 6, headings only. */
  readonly level?: number;
  /** The words of a heading without its markup; headings only, the stretch of text itself when absent. */
  readonly label?: string;
}

/** A document as read: plain or Markdown-like text that is kept as it is here, and where its parts are. */
export interface ReadDocument {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Empty for formats without pages. */
  readonly pages: readonly PageSpan[];
  /** The document's own title, when it has one. */
  readonly title?: string;
  /** Author, dates, language… as the format gives them. Metadata from the caller wins over these. */
  readonly metadata: Metadata;
}

export interface ReaderInput {
  readonly bytes: Uint8Array;
  readonly fileName: string;
  readonly signal: AbortSignal;
  /** What files within it may take; absent when it is within no other itself. */
  readonly allowance?: Allowance;
  /** Reads pictures; absent when that is not set up. */
  readonly see?: Sight;
}

/**
 * Reads one format. Throws ServiceError('invalid_request') with a reason fit for the document's failure text when the
 * bytes are not what they claim to be, 'too_large' past a limit.
 */
export interface Reader {
  /** Short type names as in r2r-v3.md 6.2, e.g. `pdf`. */
  readonly types: readonly string[];
  read(input: ReaderInput): Promise<ReadDocument>;
}
