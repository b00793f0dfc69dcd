import type { TokenSpan } from './find-dates.ts';
import type { NameContext } from './find-names.ts';
import type { Sentence } from './sentence.ts';
import type { Token } from './tokens.ts';
import { demonyms, emptyAdjectives, emptyNouns } from './word-lists.ts';

const MAX_WORDS = 4;

/** Finds lower-case phrases that may be terms; their significance is decided later, for the whole document. */
export function findTerms(
  { tokens: read, style }: Sentence,
  taken: readonly TokenSpan[],
  { language, evidence }: Pick<NameContext, 'language' | 'evidence'>,
): TokenSpan[] {
  if (style === 'cells') return [];
  // If the document otherwise writes a word in lower case, its capital is due to the beginning of the sentence.
  const tokens = read.map((token) =>
    token.tag === 'name' &&
    token.isCapital &&
    evidence.lowerCase(token.lower) > 0 &&
    evidence.capitalizedInside(token.lower) === 0
      ? { ...token, tag: 'noun' as const }
      : token,
  );
  const isTaken = new Set(
    taken.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, place) => from + place)),
  );
  const free = (at: number): boolean => !isTaken.has(at);
  if (language === 'en') return englishTerms(tokens, free);
  if (language === 'de') return germanTerms(tokens, free);
  return language === 'fr' || language === 'es' || language === 'it' || language === 'pt'
    ? romanceTerms(tokens, free)
    : [];
}

/** Adjectives and nouns up to the last noun: `large language model`, `gene expression`, `insulin`. */
function englishTerms(tokens: readonly Token[], free: (at: number) => boolean): TokenSpan[] {
  const spans: TokenSpan[] = [];
  for (let at = 0; at < tokens.length; at++) {
    let to = at;
    while (to < tokens.length && free(to) && isPartOfTerm(tokens[to], to > at) && isBeside(tokens, to, at)) to++;
    const end = to;
    while (to > at && tokens[to - 1]?.tag !== 'noun') to--;
    let from = Math.max(at, to - MAX_WORDS);
    while (from < to && isEmptyAtStart(tokens[from])) from++;
    if (from < to && isTerm(tokens.slice(from, to))) spans.push({ from, to });
    at = Math.max(at, end - 1, to - 1);
  }
  return spans;
}

const isBeside = (tokens: readonly Token[], at: number, from: number): boolean =>
  at === from || (tokens[at]?.start ?? 0) - (tokens[at - 1]?.end ?? 0) <= 2;

const isPartOfTerm = (token: Token | undefined, isInside: boolean): boolean =>
  token?.kind === 'word' &&
  !token.isCommon &&
  token.text.length > 1 &&
  (token.tag === 'noun' || token.tag === 'adjective' || (token.tag === 'name' && isInside && !token.isCapital));

const isEmptyAtStart = (token: Token | undefined): boolean =>
  token === undefined ||
  emptyAdjectives.has(token.lower) ||
  demonyms.has(token.lower) ||
  /(?:able|ible)$/.test(token.lower);

function isTerm(words: readonly Token[]): boolean {
  const head = words.at(-1);
  if (head === undefined || emptyNouns.has(head.lower) || !/^\p{L}[\p{L}\p{M}'’-]+$/u.test(head.text)) return false;
  if (words.length > 1) return !emptyNouns.has(words[0]?.lower ?? '') || words.length > 2;
  return head.text.length >= 4 && !head.lower.endsWith('ing');
}

/** Long compounds, which German writes as one word. */
function germanTerms(tokens: readonly Token[], free: (at: number) => boolean): TokenSpan[] {
  return tokens.flatMap((token, at) =>
    token.kind === 'word' &&
    token.isCapital &&
    token.text.length >= 12 &&
    free(at) &&
    /^\p{Lu}[\p{Ll}-]+$/u.test(token.text)
      ? [{ from: at, to: at + 1 }]
      : [],
  );
}

const OF = new Set(['de', 'du', 'des', 'd', 'del', 'di', 'della', 'do', 'da']);

/** `réseau de neurones`, `energía del mar`: two content words around a function word. */
function romanceTerms(tokens: readonly Token[], free: (at: number) => boolean): TokenSpan[] {
  const isContent = (at: number): boolean => {
    const token = tokens[at];
    return token?.kind === 'word' && !token.isCapital && !token.isCommon && token.text.length >= 4 && free(at);
  };
  return tokens.flatMap((_, at) => {
    const of = tokens[at + 1]?.lower.replace(/['’]$/, '') ?? '';
    return isContent(at) && OF.has(of) && isContent(at + 2) ? [{ from: at, to: at + 3 }] : [];
  });
}
