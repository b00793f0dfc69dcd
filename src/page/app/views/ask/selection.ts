import { signal } from '@preact/signals';
import { type AnswerState, type Mark, quoteOf, type Source } from './answer-state.ts';

/** The selected citation: the n-th mark of a turn. */
export interface Selected {
  readonly turn: string;
  readonly mark: number;
}

/** The citation whose source is shown beside the answer. */
export const opened = signal<Selected | undefined>(undefined);

/** Target of a citation. */
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
  // Only http(s) links, because the URL of a web source is untrusted.
  if (source?.link !== undefined && /^https?:\/\//i.test(source.link)) return { kind: 'web', link: source.link };
  return { kind: 'nowhere' };
}

export const sourceOf = (answer: AnswerState, mark: Mark): Source | undefined =>
  answer.sources.find(({ id }) => id === mark.sourceId);

/** Element id of a citation's chip. */
export const chipId = ({ turn, mark }: Selected): string => `cite-${turn}-${mark}`;
