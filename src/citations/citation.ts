import type { ScoredChunk } from '../documents/chunk.ts';
import type { Document, HeadingSpan, PageSpan } from '../documents/document.ts';
import type { GraphHit } from '../documents/graph-hit.ts';

/** Something found that an answer may refer to. */
export type Source =
  | { readonly kind: 'chunk'; readonly chunk: ScoredChunk }
  | { readonly kind: 'document'; readonly document: Document; readonly passage?: Passage }
  | { readonly kind: 'graph'; readonly hit: GraphHit }
  | { readonly kind: 'web'; readonly page: WebPassage };

/** What was read of a page of the web: the snippet of a search result, or a stretch of the page's own text. */
export interface WebPassage {
  readonly kind: 'result' | 'page';
  /** One for each page, however its address is written. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** Where the stretch begins in the page's text; 0 for a snippet. */
  readonly start: number;
  /** Place among the results, from 1; 0 for a page that was read. */
  readonly position: number;
  readonly date: string | null;
  readonly sitelinks: readonly { readonly title: string; readonly url: string }[];
}

/** A stretch of a document's extracted text that was read; each is a source of its own. */
export interface Passage {
  readonly start: number;
  readonly text: string;
  /** Pages and sections of the whole text. */
  readonly pages: readonly PageSpan[];
  readonly headings?: readonly HeadingSpan[];
}

/** UTF-16 offsets, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The passage of the source that backs the statement before the marker. */
export interface Quote extends Span {
  /** Equals the document's extracted text from `start` to `end`. */
  readonly text: string;
  /** Where the quote begins, not the passage it is taken from. */
  readonly page: number | null;
  readonly headingPath: readonly string[];
}

/** A source the answer refers to; docs/contract.md 4.6. `cit.N` belongs to the marker `[N]`. */
export interface Citation {
  readonly id: `cit.${number}`;
  readonly number: number;
  readonly source: Source;
  /** Where the markers stand in the answer, brackets included. */
  readonly spans: readonly Span[];
  /** One per distinct passage referred to; empty for sources without text offsets. */
  readonly quotes: readonly Quote[];
}
