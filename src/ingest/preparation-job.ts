import type { HeadingSpan, Metadata, PageSpan } from '../documents/document.ts';
import type { SplitChunk, SplitOptions } from './split-text.ts';

/** A document to be read and split. Plain data, so that it can be sent to another process. */
export interface PreparationJob {
  readonly bytes: Uint8Array;
  readonly fileName: string;
  readonly type: string;
  readonly content:
    | { readonly kind: 'file' | 'text' }
    /** Lengths of the ready-made chunks, which the bytes contain separated by blank lines. */
    | { readonly kind: 'chunks'; readonly lengths: readonly number[] };
  readonly split: SplitOptions;
  readonly skipSummary: boolean;
}

export interface PreparedDocument {
  readonly text: string;
  readonly pages: readonly PageSpan[];
  readonly headings: readonly HeadingSpan[];
  readonly title?: string;
  readonly metadata: Metadata;
  readonly chunks: readonly SplitChunk[];
  readonly summary: string | null;
  readonly totalTokens: number;
}

/** Separator of ready-made chunks in the text of their document. */
export const CHUNK_BREAK = '\n\n';
