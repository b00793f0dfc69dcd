/** The text of a rendered page. */
export interface PageText {
  readonly number: number;
  readonly text: string;
}

/** A character range of a page. */
export interface PagePart {
  readonly page: number;
  readonly start: number;
  readonly end: number;
}

/** Text around a quote in the extracted text; distinguishes repeated occurrences. */
export interface QuoteContext {
  readonly before: string;
  readonly after: string;
}

export type Located =
  | { readonly kind: 'found'; readonly parts: readonly PagePart[] }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'ambiguous'; readonly count: number };

/**
 * Locates a quote in the texts of consecutive pages. White space, hyphens, table bars, dot leaders, accents, case and
 * ligatures are ignored, because they may differ from the extracted text. Only an unambiguous location is returned: the only occurrence on its
 * page, or the one whose context matches.
 */
export function locateQuote(
  pages: readonly PageText[],
  quote: string,
  page: number | undefined,
  context?: QuoteContext,
): Located {
  const folded = foldPages(pages);
  const wanted = foldText(quote).text;
  if (wanted === '') return { kind: 'not_found' };
  const all = occurrencesOf(wanted, folded.text);
  const candidates = page === undefined ? all : onPage(all, wanted.length, folded, page);
  const only = candidates.length === 1 ? candidates[0] : context && bestOf(candidates, wanted.length, folded, context);
  if (only !== undefined) return { kind: 'found', parts: partsOf(only, only + wanted.length, folded) };
  return candidates.length === 0 ? { kind: 'not_found' } : { kind: 'ambiguous', count: candidates.length };
}

/** Whether two texts are equal after the normalisation of the search. */
export const isSameText = (one: string, other: string): boolean => foldText(one).text === foldText(other).text;

/** A text after the normalisation of the search. */
export interface FoldedText {
  readonly text: string;
  /** For each folded character, the start and end of its origin. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

interface FoldedPages extends FoldedText {
  /** For each character, the index of its page in the list. */
  readonly pageIndex: readonly number[];
  readonly pages: readonly PageText[];
}

/**
 * White space, hyphens, soft hyphens and other zero-width or control characters, the bars between table cells, and
 * accents, which PDFs may have as separate characters before their letter.
 */
const LEFT_OUT = /[\s\p{Cf}\p{Cc}\u2010\u2011|\-\u0300-\u036f`\u02c6\u02c7\u02cb\u02dc]/u;

const COMBINING = /[\u0300-\u036f]/u;

/** The dots between an entry and its page in a table of contents. */
const DOT_LEADER = /(?:\.\s*){3,}|\u2026/gu;

/** The letters of this Arabic ligature are often swapped in PDFs; they are put in the right order. */
const SWAPPED_LAM_ALEF = /\u0627(\u0627[\u0653-\u0655])\u0644/g;

export function foldText(text: string): FoldedText {
  let folded = '';
  const from: number[] = [];
  const to: number[] = [];
  let offset = 0;
  for (const character of text.replace(DOT_LEADER, (dots) => ' '.repeat(dots.length))) {
    const end = offset + character.length;
    // Compatibility decomposition splits ligatures and normalises accents.
    for (const each of (character === '\u0131' ? 'i' : character).normalize('NFKD').toLowerCase()) {
      if (LEFT_OUT.test(each)) {
        // An accent written apart is part of the letter before it.
        if (each === character && COMBINING.test(each) && to.length > 0) to[to.length - 1] = end;
        continue;
      }
      folded += each;
      for (let unit = 0; unit < each.length; unit++) {
        from.push(offset);
        to.push(end);
      }
    }
    offset = end;
  }
  return { text: folded.replace(SWAPPED_LAM_ALEF, '\u0627\u0644$1'), from, to };
}

function foldPages(pages: readonly PageText[]): FoldedPages {
  const each = pages.map(({ text }) => foldText(text));
  return {
    text: each.map(({ text }) => text).join(''),
    from: each.flatMap(({ from }) => from),
    to: each.flatMap(({ to }) => to),
    pageIndex: each.flatMap(({ from }, index) => from.map(() => index)),
    pages,
  };
}

function occurrencesOf(wanted: string, text: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) found.push(at);
  return found;
}

/** Occurrences that start on the page; if there are none, those that end on it. */
function onPage(all: readonly number[], length: number, { pageIndex, pages }: FoldedPages, page: number): number[] {
  const pageOf = (at: number) => pages[pageIndex[at] ?? -1]?.number;
  const beginning = all.filter((at) => pageOf(at) === page);
  return beginning.length > 0 ? beginning : all.filter((at) => pageOf(at + length - 1) === page);
}

/**
 * Minimum number of matching context characters, and minimum lead over any other occurrence, unless it is the only one
 * with the whole context.
 */
const MIN_CONTEXT = 12;
const MIN_LEAD = 2;

function bestOf(
  candidates: readonly number[],
  length: number,
  { text }: FoldedText,
  context: QuoteContext,
): number | undefined {
  const before = foldText(context.before).text;
  const after = foldText(context.after).text;
  const scored = candidates
    .map((at) => ({ at, score: commonEnd(text.slice(0, at), before) + commonStart(text.slice(at + length), after) }))
    .sort((one, other) => other.score - one.score);
  const [best, second] = scored;
  if (best === undefined || second === undefined || best.score < MIN_CONTEXT) return undefined;
  const isWhole = best.score === before.length + after.length;
  return best.score >= MIN_LEAD * second.score || (isWhole && second.score < best.score) ? best.at : undefined;
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length++;
  return length;
}

function commonEnd(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one.at(-1 - length) === other.at(-1 - length)) length++;
  return length;
}

function partsOf(start: number, end: number, { from, to, pageIndex, pages }: FoldedPages): PagePart[] {
  const parts: { page: number; start: number; end: number }[] = [];
  for (let at = start; at < end; at++) {
    const page = pages[pageIndex[at] ?? -1]?.number ?? 0;
    const last = parts.at(-1);
    if (last?.page === page) last.end = to[at] ?? last.end;
    else parts.push({ page, start: from[at] ?? 0, end: to[at] ?? 0 });
  }
  return parts;
}
