import type { ScoredChunk } from '../documents/chunk.ts';
import type { Document, HeadingSpan, PageSpan } from '../documents/document.ts';
import type { GraphHit } from '../documents/graph-hit.ts';

/** A search or tool result that an answer can cite. */
export type Source =
  | { readonly kind: 'chunk'; readonly chunk: ScoredChunk }
  | { readonly kind: 'document'; readonly document: Document; readonly passage?: Passage }
  | { readonly kind: 'graph'; readonly hit: GraphHit }
  | { readonly kind: 'web'; readonly page: WebPassage };

/** The part of a web page that was read: the snippet of a search result, or a section of the page's text. */
export interface WebPassage {
  readonly kind: 'result' | 'page';
  /** Identifies the page; independent of how its URL is written. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** Offset of the section in the page's text; 0 for a snippet. */
  readonly start: number;
  /** Rank among the search results, from 1; 0 for a page that was fetched. */
  readonly position: number;
  readonly date: string | null;
  readonly sitelinks: readonly { readonly title: string; readonly url: string }[];
}

/** A section of a document's extracted text that was read; each section is a source of its own. */
export interface Passage {
  readonly start: number;
  readonly text: string;
  /** Pages and headings of the whole document. */
  readonly pages: readonly PageSpan[];
  readonly headings?: readonly HeadingSpan[];
}

/** UTF-16 offsets, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The part of a source that supports the statement before the marker. */
export interface Quote extends Span {
  /** Equals the document's extracted text from `start` to `end`. */
  readonly text: string;
  /** Page at the start of the quote. */
  readonly page: number | null;
  readonly headingPath: readonly string[];
}

/** A source cited by the answer; docs/contract.md 4.6. `cit.N` belongs to the marker `[N]`. */
export interface Citation {
  readonly id: `cit.${number}`;
  readonly number: number;
  readonly source: Source;
  /** Positions of the markers in the answer, brackets included. */
  readonly spans: readonly Span[];
  /** One per distinct quote; empty for sources without text offsets. */
  readonly quotes: readonly Quote[];
}
