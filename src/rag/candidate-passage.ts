import { type ComparableText, toComparableText } from '../citations/check-citation.ts';
import type { Source } from '../citations/citation.ts';
import { findQuote, type Quotable, quoteOf } from '../citations/find-quote.ts';
import { quotedIn, withoutFinalMarks } from '../citations/find-verbatim.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import type { Chunk } from '../documents/chunk.ts';
import { titleOf } from '../toolbox/render-blocks.ts';

/** A passage that may support a statement. */
export interface CandidatePassage {
  readonly quotable: Quotable;
  readonly comparable: ComparableText;
  readonly title: string;
  readonly documentId?: string;
  readonly chunkId?: string;
  readonly marker?: number;
  readonly source?: Source;
}

export const passageOfChunk = (chunk: Chunk, analyser: TextAnalyser, marker?: number): CandidatePassage => ({
  quotable: chunk,
  comparable: toComparableText(chunk.text, analyser, [titleOf(chunk), ...chunk.headingPath].join('\n')),
  title: titleOf(chunk),
  documentId: chunk.documentId,
  chunkId: chunk.id,
  source: { kind: 'chunk', chunk: { score: 0, ...chunk } },
  ...(marker === undefined ? {} : { marker }),
});

/** Span of a verbatim match, or else of the one or two most similar sentences. */
export function quoteFrom(
  { quotable, comparable }: CandidatePassage,
  statement: string,
  analyser: TextAnalyser,
): ReturnType<typeof findQuote> {
  const exact = comparable.find(withoutFinalMarks(statement));
  if (exact !== undefined) return quoteOf(quotable, exact);
  for (const piece of quotedIn(statement)) {
    const span = comparable.find(piece);
    if (span !== undefined) return quoteOf(quotable, span);
  }
  return findQuote({ chunk: quotable, statement, question: '', analyser });
}
