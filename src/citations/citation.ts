import type { ScoredChunk } from '../documents/chunk.ts';
import type { Document, PageSpan } from '../documents/document.ts';

/** Something found that an answer may refer to. Further kinds (graph, web) join as their rooms are built. */
export type Source =
  | { readonly kind: 'chunk'; readonly chunk: ScoredChunk }
  | { readonly kind: 'document'; readonly document: Document; readonly passage?: Passage };

/** A stretch of a document's extracted text that was read; each is a source of its own. */
export interface Passage {
  readonly start: number;
  readonly text: string;
  /** Pages of the whole text. */
  readonly pages: readonly PageSpan[];
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
  readonly page: number | null;
  readonly headingPath: readonly string[];
}

/** A source the answer refers to; spec.md 2.6, r2r-v3.md 4.6. `cit.N` belongs to the marker `[N]`. */
export interface Citation {
  readonly id: `cit.${number}`;
  readonly number: number;
  readonly source: Source;
  /** Where the markers stand in the answer, brackets included. */
  readonly spans: readonly Span[];
  /** One per distinct passage referred to; empty for sources without text offsets. */
  readonly quotes: readonly Quote[];
}
