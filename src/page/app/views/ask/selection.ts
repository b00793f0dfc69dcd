import { signal } from '@preact/signals';
import { type AnswerState, type Mark, quoteOf, type Source } from './answer-state.ts';

/** A citation that is being looked at: the n-th mark of a turn. */
export interface Selected {
  readonly turn: string;
  readonly mark: number;
}

/** Whose source stands beside the answer. */
export const opened = signal<Selected | undefined>(undefined);

/** Where a citation leads. */
export type Target =
  | { readonly kind: 'web'; readonly link: string }
  | {
      readonly kind: 'document';
      readonly documentId: string;
      readonly version?: string;
      readonly quotes: readonly { readonly start: number; readonly end: number; readonly text: string }[];
    }
  | { readonly kind: 'nowhere' };

export function targetOf(mark: Mark, source: Source | undefined): Target {
  const quote = quoteOf(mark, source);
  const documentId = quote?.documentId ?? source?.documentId;
  if (documentId !== undefined) {
    const isOwn = documentId === source?.documentId;
    return {
      kind: 'document',
      documentId,
      ...(isOwn && source?.version !== undefined && { version: source.version }),
      quotes: quote === undefined ? [] : [{ start: quote.start, end: quote.end, text: quote.text }],
    };
  }
  // Only addresses that open a page: a source's address comes from outside.
  if (source?.link !== undefined && /^https?:\/\//i.test(source.link)) return { kind: 'web', link: source.link };
  return { kind: 'nowhere' };
}

export const sourceOf = (answer: AnswerState, mark: Mark): Source | undefined =>
  answer.sources.find(({ id }) => id === mark.sourceId);

/** The address of a citation's chip in the page. */
export const chipId = ({ turn, mark }: Selected): string => `cite-${turn}-${mark}`;
