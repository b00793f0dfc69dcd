/** The text of a page as it is drawn. */
export interface PageText {
  readonly number: number;
  readonly text: string;
}

/** Characters of a page's text. */
export interface PagePart {
  readonly page: number;
  readonly start: number;
  readonly end: number;
}

/** What stands around a quote in the document's extracted text; tells apart places with the same words. */
export interface QuoteContext {
  readonly before: string;
  readonly after: string;
}

export type Located =
  | { readonly kind: 'found'; readonly parts: readonly PagePart[] }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'ambiguous'; readonly count: number };

/**
 * Finds the place of a quote in the texts of consecutive pages. White space, hyphens, bars, case and how ligatures
 * are written do not count, since the extracted text need not have them as the page has. Only a certain place is given: the only one
 * on its page, or the one whose surroundings are those of the quote.
 */
export function locateQuote(
  pages: readonly PageText[],
  quote: string,
  page: number | undefined,
  context?: QuoteContext,
): Located {
  const folded = foldPages(pages);
  const wanted = fold(quote).text;
  if (wanted === '') return { kind: 'not_found' };
  const all = occurrencesOf(wanted, folded.text);
  const candidates = page === undefined ? all : onPage(all, wanted.length, folded, page);
  const only = candidates.length === 1 ? candidates[0] : context && bestOf(candidates, wanted.length, folded, context);
  if (only !== undefined) return { kind: 'found', parts: partsOf(only, only + wanted.length, folded) };
  return candidates.length === 0 ? { kind: 'not_found' } : { kind: 'ambiguous', count: candidates.length };
}

/** Whether two texts are the same but for what does not count in a search. */
export const readsAlike = (one: string, other: string): boolean => fold(one).text === fold(other).text;

interface Folded {
  readonly text: string;
  /** For each of its characters, where what it came from begins and ends. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

interface FoldedPages extends Folded {
  /** For each character the place of its page in the list. */
  readonly pageIndex: readonly number[];
  readonly pages: readonly PageText[];
}

/** White space, hyphens, soft hyphens and others without a width, and the bars between cells of a table in a text. */
const LEFT_OUT = /[\s\p{Cf}\u2010\u2011|-]/u;

function fold(text: string): Folded {
  let folded = '';
  const from: number[] = [];
  const to: number[] = [];
  let offset = 0;
  for (const character of text) {
    const end = offset + character.length;
    // Decomposed, a ligature is its letters and a letter with an accent the same however it was written.
    for (const each of character.normalize('NFKD').toLowerCase()) {
      if (LEFT_OUT.test(each)) continue;
      folded += each;
      for (let unit = 0; unit < each.length; unit++) {
        from.push(offset);
        to.push(end);
      }
    }
    offset = end;
  }
  return { text: folded, from, to };
}

function foldPages(pages: readonly PageText[]): FoldedPages {
  const each = pages.map(({ text }) => fold(text));
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

/** The places that begin on the page; where there are none, those that end on it. */
function onPage(all: readonly number[], length: number, { pageIndex, pages }: FoldedPages, page: number): number[] {
  const pageOf = (at: number) => pages[pageIndex[at] ?? -1]?.number;
  const beginning = all.filter((at) => pageOf(at) === page);
  return beginning.length > 0 ? beginning : all.filter((at) => pageOf(at + length - 1) === page);
}

/** How much of a context has to be there, and how much more than at any other place. */
const MIN_CONTEXT = 12;
const MIN_LEAD = 2;

function bestOf(
  candidates: readonly number[],
  length: number,
  { text }: Folded,
  context: QuoteContext,
): number | undefined {
  const before = fold(context.before).text;
  const after = fold(context.after).text;
  const scored = candidates
    .map((at) => ({ at, score: commonEnd(text.slice(0, at), before) + commonStart(text.slice(at + length), after) }))
    .sort((one, other) => other.score - one.score);
  const [best, second] = scored;
  if (best === undefined || best.score < MIN_CONTEXT) return undefined;
  return second === undefined || best.score >= MIN_LEAD * second.score ? best.at : undefined;
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
