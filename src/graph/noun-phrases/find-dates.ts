import type { Token } from './tokens.ts';
import { monthNames } from './word-lists.ts';

/** A range of tokens in a sentence, end exclusive. */
export interface TokenSpan {
  readonly from: number;
  readonly to: number;
}

const YEAR = /^(?:1[0-9]|20)\d\d$/;
const DAY = /^(?:[1-9]|[12]\d|3[01])$/;
const DAY_WORD = /^(?:[1-9]|[12]\d|3[01])(?:st|nd|rd|th)$/;
const BEFORE_YEAR = new Set(
  'in since by until from of around during before after im jahr seit bis en depuis desde nel dal em année año anno ano'.split(
    ' ',
  ),
);

/** Days, months with a year, and years after a word such as `in` or `since`. */
export function findDates(tokens: readonly Token[]): TokenSpan[] {
  const spans: TokenSpan[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const to = dateFrom(tokens, at);
    if (to === undefined) continue;
    spans.push({ from: at, to });
    at = to - 1;
  }
  return spans;
}

function dateFrom(tokens: readonly Token[], at: number): number | undefined {
  const token = tokens[at];
  if (token === undefined || token.kind === 'mark') return undefined;
  if (/^\d{4}-\d\d-\d\d$/.test(token.text)) return at + 1;
  if (isMonth(token)) return afterMonth(tokens, at);
  if (DAY.test(token.text) || DAY_WORD.test(token.text)) {
    let next = at + 1;
    while (tokens[next]?.text === '.' || tokens[next]?.lower === 'de' || tokens[next]?.lower === 'of') next++;
    const month = tokens[next];
    if (next > at + 2 || month === undefined || !isMonth(month)) return undefined;
    while (tokens[next + 1]?.lower === 'de' || tokens[next + 1]?.lower === 'do') next++;
    return isYear(tokens[next + 1]) ? next + 2 : month === tokens[next] ? next + 1 : undefined;
  }
  return isYear(token) && BEFORE_YEAR.has(tokens[at - 1]?.lower ?? '') && !isUnit(tokens[at + 1]) ? at + 1 : undefined;
}

/** `March 2021`, `March 3, 2021`; a month alone is not a useful date, and `may` is a verb. */
function afterMonth(tokens: readonly Token[], at: number): number | undefined {
  if (isYear(tokens[at + 1])) return at + 2;
  if (tokens[at + 1]?.lower === 'de' && isYear(tokens[at + 2])) return at + 3;
  const day = tokens[at + 1];
  if (day === undefined || !(DAY.test(day.text) || DAY_WORD.test(day.text))) return undefined;
  if (tokens[at + 2]?.text === ',' && isYear(tokens[at + 3])) return at + 4;
  return tokens[at]?.isCapital ? at + 2 : undefined;
}

const isMonth = ({ kind, lower }: Token): boolean => kind === 'word' && monthNames.has(lower);
const isYear = (token: Token | undefined): boolean => token !== undefined && YEAR.test(token.text);
const isUnit = (token: Token | undefined): boolean => token?.tag === 'noun' || token?.text === '%';
