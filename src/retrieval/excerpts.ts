import type { TextSpan } from '../documents/paragraphs.ts';
import { splitSentences } from '../documents/sentences.ts';
import { wholeCharacterEnd } from '../shared/text.ts';
import { analyse, analyseQuery } from '../store/full-text/analyse.ts';

/** Total number of characters above which the later texts are shortened. */
const BUDGET = 4_500;
/** Length of an excerpt. */
const EXCERPT_LENGTH = 300;
/** A cut that saves fewer characters is not worth the reader's second call. */
const MIN_SAVING = 80;

/**
 * Shortens texts, given best first, to the parts most relevant to the query, so that all of them fit the budget. The
 * first text is kept whole, and so are the following ones while there is room. An undefined entry means the whole text.
 */
export function excerptsOf(texts: readonly string[], query: string): (TextSpan | undefined)[] {
  const terms = new Set(analyseQuery(query));
  const savings = texts.map((text, index) => {
    const saved = text.length - EXCERPT_LENGTH;
    return index === 0 || saved < MIN_SAVING ? 0 : saved;
  });
  let available = BUDGET - texts.reduce((sum, text, index) => sum + text.length - (savings[index] ?? 0), 0);
  return texts.map((text, index) => {
    const saving = savings[index] ?? 0;
    if (saving <= Math.max(0, available)) {
      available -= saving;
      return undefined;
    }
    return bestExcerpt(text, terms);
  });
}

/** The run of sentences with most of the terms; rare terms count more. */
function bestExcerpt(text: string, terms: ReadonlySet<string>): TextSpan {
  const pieces = splitSentences(text).map((span) => ({
    ...span,
    terms: new Set(analyse(text.slice(span.start, span.end)).filter((term) => terms.has(term))),
  }));
  const frequency = new Map<string, number>();
  for (const piece of pieces) for (const term of piece.terms) frequency.set(term, (frequency.get(term) ?? 0) + 1);
  let best: TextSpan & { readonly score: number } = { start: 0, end: 0, score: -1 };
  for (const [from, first] of pieces.entries()) {
    const found = new Set<string>();
    let score = 0;
    for (const piece of pieces.slice(from)) {
      if (piece.end - first.start > EXCERPT_LENGTH && piece !== first) break;
      for (const term of piece.terms) {
        if (!found.has(term)) score += 1 / (frequency.get(term) ?? 1);
        found.add(term);
      }
      // Of equal runs, the longer one from the same beginning has more context.
      if (score > best.score || (score === best.score && first.start === best.start)) {
        best = { start: first.start, end: piece.end, score };
      }
    }
  }
  const { start, end } = best;
  return { start, end: Math.min(end, wholeCharacterEnd(text, start + EXCERPT_LENGTH)) };
}
