import { type CaseEvidence, startsSentence } from './document-evidence.ts';
import type { TokenSpan } from './find-dates.ts';
import type { Gazetteer } from './gazetteer.ts';
import type { GraphLanguage } from './language.ts';
import type { Sentence } from './sentence.ts';
import type { Token } from './tokens.ts';
import {
  awardNouns,
  demonyms,
  emptyCapitals,
  emptyNouns,
  eventNouns,
  givenNames,
  honorifics,
  legalForms,
  monthNames,
  organizationNouns,
  personNouns,
  placeNouns,
  shipPrefixes,
  surnameNouns,
  workNouns,
} from './word-lists.ts';

export interface FoundName extends TokenSpan {
  /** Preceded by a personal title. */
  readonly hasHonorific: boolean;
  /** Weak names count only when the document contains the name elsewhere. */
  readonly isWeak: boolean;
  readonly isQuoted: boolean;
}

export interface NameContext {
  readonly language: GraphLanguage;
  readonly gazetteer: Gazetteer;
  readonly evidence: CaseEvidence;
}

/** Maximum number of words in a name. */
const MAX_WORDS = 10;
const LEADING_TITLES = new Set(
  [...honorifics].filter(
    (title) => !/^(?:king|queen|prince|princess|saint|st|pope|lord|lady|papst|pape|papa)$/.test(title),
  ),
);
const MIDDLE_TITLES = new Set(
  'ceo cfo cto president chairman chairwoman director minister founder captain professor'.split(' '),
);
const PARTICLES = new Set(
  'von van de der den da di del della do dos du des bin ibn al el zu ten ter af la le'.split(' '),
);
const JOINERS = new Set(['of', 'for']);
/** Nouns that make `X and Y Noun` a single name: `Food and Drug Administration`. */
const JOINED = new Set(
  'administration commission agency department ministry committee council authority organization organisation'.split(
    ' ',
  ),
);
const INSTITUTION_NOUNS = [organizationNouns, placeNouns, eventNouns, workNouns, awardNouns];
/** `Duke of Wellington`: the title is part of the name. */
const NOBLES = new Set('duke duchess count countess earl baron king queen prince princess'.split(' '));
// `Saint` also begins names of ships and places, so it is not treated as a title.
const NOT_A_TITLE = /^(?:saint|st)$/;

/** Finds names by capitalisation; their category is decided later. Tokens in `taken` are excluded. */
export function findNames(sentence: Sentence, taken: readonly TokenSpan[], context: NameContext): FoundName[] {
  const { tokens } = sentence;
  const isTaken = new Set(
    taken.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, place) => from + place)),
  );
  const names: FoundName[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const quoted = quotedTitle(tokens, at, context.language);
    if (quoted !== undefined) {
      names.push({ ...quoted, hasHonorific: false, isWeak: false, isQuoted: true });
      at = quoted.to;
      continue;
    }
    if (isTaken.has(at) || !isNameWord(tokens[at])) continue;
    let to = at + 1;
    while (to - at < MAX_WORDS) {
      const next = endOfNext(tokens, at, to);
      if (next === undefined || isTaken.has(next - 1)) break;
      to = next;
    }
    const name = trimName(sentence, at, to, context);
    if (name !== undefined) names.push(name);
    at = to - 1;
  }
  return names;
}

const isNameWord = (token: Token | undefined): boolean =>
  token?.kind === 'word' && token.isCapital && !(token.isCommon && !/^\p{Lu}{2,}$/u.test(token.text));

/** The end of the name if it continues after `to`; undefined if it ends at `to`. */
function endOfNext(tokens: readonly Token[], from: number, to: number): number | undefined {
  const last = tokens[to - 1];
  const next = tokens[to];
  if (last === undefined || next === undefined) return undefined;
  // Capitalised words on a new line or after a wide gap are not part of the name.
  if (next.start - last.end > 2) return undefined;
  if (isNameWord(next)) return to + 1;
  if (next.kind === 'number') {
    const isVersion = /^\d{1,3}(?:\.\d+)?$/.test(next.text);
    const behind = tokens[to + 1];
    return isVersion && (behind === undefined || behind.kind === 'mark' || behind.isCommon) ? to + 1 : undefined;
  }
  if (next.text === '.' && /^(?:st|mt|ft)$/.test(last.lower) && isNameWord(tokens[to + 1])) return to + 2;
  if (next.text === '&' && isNameWord(tokens[to + 1])) return to + 2;
  if (next.text === '.' && last.text.length <= 3 && legalForms.has(last.lower)) return undefined;
  if (next.text === ',' && legalForms.has(tokens[to + 1]?.lower ?? '') && tokens[to + 1]?.isCapital) return to + 2;
  return acrossSmallWords(tokens, from, to);
}

/** `University of the Arts`, `Ludwig van Beethoven`, `Food and Drug Administration`. */
function acrossSmallWords(tokens: readonly Token[], from: number, to: number): number | undefined {
  const next = tokens[to];
  if (next === undefined || next.kind !== 'word') return undefined;
  const words = tokens.slice(from, to).map(({ lower }) => lower);
  const hasHead = words.some((word) => INSTITUTION_NOUNS.some((heads) => heads.has(word)));
  let end = to + 1;
  if (JOINERS.has(next.lower)) {
    const isNoble = NOBLES.has(words.at(-1) ?? '');
    if (!isNoble && (!hasHead || words.some((word) => LEADING_TITLES.has(word)))) return undefined;
    if (tokens[end]?.lower === 'the') end++;
  } else if (PARTICLES.has(next.lower)) {
    const isPerson = givenNames.has(words[0] ?? '') && words.length <= 2 && !/^(?:de|des|du)$/.test(next.lower);
    const isRomance = /^(?:de|del|da|do|di|du|des|der|della|dos|la)$/.test(next.lower);
    if (!isPerson && !givenNames.has(words[0] ?? '') && !(isRomance && (hasHead || words.at(-1) === 'rio')))
      return undefined;
    if (PARTICLES.has(tokens[end]?.lower ?? '') || tokens[end]?.lower === 'los' || tokens[end]?.lower === 'las') end++;
  } else if (next.lower === 'and' || next.lower === 'und') {
    const behind = tokens[end + 1];
    if (words.length > 2 || !behind || !isNameWord(behind) || !JOINED.has(behind.lower)) return undefined;
  } else return undefined;
  return isNameWord(tokens[end]) && (tokens[end]?.start ?? 0) - (tokens[end - 1]?.end ?? 0) <= 2 ? end + 1 : undefined;
}

/** Removes leading words that do not belong to a name; undefined when no name is left. */
function trimName(sentence: Sentence, start: number, to: number, context: NameContext): FoundName | undefined {
  const { tokens } = sentence;
  let from = start;
  let hasHonorific = false;
  if (startsSentence(tokens, from) && !isNameAtStart(sentence, from, to, context)) from++;
  while (from < to) {
    const token = tokens[from];
    if (token === undefined) break;
    const isShip = shipPrefixes.has(token.lower) && token.text === token.text.toUpperCase() && to - from > 1;
    const isNoble = NOBLES.has(token.lower) && tokens[from + 1]?.lower === 'of';
    const isTitle =
      !isNoble &&
      !NOT_A_TITLE.test(token.lower) &&
      (LEADING_TITLES.has(token.lower) ||
        (to - from > 1 && (personNouns.has(token.lower) || /^\p{L}{4,}(?:ologist|ician|rapher)$/u.test(token.lower))));
    if (isShip) break;
    if (isTitle && !isTitleOfOffice(tokens, from, to)) hasHonorific = true;
    else if (!isEmptyWord(tokens, from, to, context)) break;
    from++;
  }
  // `Acme CEO Jane Roe`: the words before the title are another name.
  const title = tokens.slice(from + 1, to - 1).findIndex(({ lower }) => MIDDLE_TITLES.has(lower));
  if (title >= 0) {
    from += title + 2;
    hasHonorific = true;
  }
  while (to > from && (tokens[to - 1]?.kind !== 'word' || emptyCapitals.has(tokens[to - 1]?.lower ?? ''))) {
    if (tokens[to - 1]?.kind === 'number' && to - from > 1 && !emptyCapitals.has(tokens[to - 2]?.lower ?? '')) break;
    to--;
  }
  if (from >= to) return undefined;
  // `See Figure 2`: what remains of a longer name at the beginning of a sentence must be a name on its own.
  if (from === start && startsSentence(tokens, from) && !isNameAtStart(sentence, from, to, context)) return undefined;
  if (to - from === 1 && !isNameAlone(tokens, from, context)) return undefined;
  if (context.language === 'de' && !isGermanName(sentence, from, to, context)) return undefined;
  const before = tokens[from - 1];
  const beforeThat = tokens[from - 2];
  // An abbreviated title such as `Dr.` is separated from the name by its full stop.
  if (before?.text === '.' && LEADING_TITLES.has(beforeThat?.lower ?? '')) hasHonorific = true;
  const isWeak = sentence.style === 'title' || (sentence.style === 'cells' && to - from === 1);
  return { from, to, hasHonorific, isWeak, isQuoted: false };
}

// `Minister of Foreign Affairs` is an office; it is dropped word by word until nothing is left.
const isTitleOfOffice = (tokens: readonly Token[], from: number, to: number): boolean =>
  to - from > 1 && legalForms.has(tokens[to - 1]?.lower ?? '');

function isEmptyWord(tokens: readonly Token[], from: number, to: number, { language }: NameContext): boolean {
  const token = tokens[from];
  if (token === undefined) return true;
  if (emptyCapitals.has(token.lower) && !legalForms.has(token.lower)) return true;
  // `German engineer`, but `British Museum` and `North Sea`.
  if (demonyms.has(token.lower)) {
    const next = tokens[from + 1]?.lower ?? '';
    return to - from === 1 || LEADING_TITLES.has(next) || (personNouns.has(next) && to - from > 2);
  }
  return (
    language === 'de' &&
    to - from > 1 &&
    /^(?:unternehmen|firma|konzern|stadt|dorf|insel|fluss|roman|buch|jahr|anfang|ende|mitte)$/.test(token.lower)
  );
}

/** Whether the first word of a sentence would also be capitalised in other positions. */
function isNameAtStart(
  sentence: Sentence,
  from: number,
  to: number,
  { evidence, gazetteer, language }: NameContext,
): boolean {
  const token = sentence.tokens[from];
  if (token === undefined) return false;
  if (evidence.capitalizedInside(token.lower) > 0 && language !== 'de') return true;
  if (
    /^\p{Lu}[\p{L}\d]*\p{Lu}|^\p{Lu}\.$/u.test(token.text) ||
    gazetteer.has(token.lower) ||
    givenNames.has(token.lower)
  )
    return true;
  if (to - from > 1 && INSTITUTION_NOUNS.some((heads) => heads.has(token.lower))) return true;
  if (evidence.lowerCase(token.lower) > 0) return false;
  if (honorifics.has(token.lower)) return true;
  if (language === 'en') {
    // `Check each valve` is an imperative: a single word is a name when it is the subject of a verb such as is, has or
    // does.
    if (token.tag === 'name')
      return to - from > 1 || (isSubject(sentence.tokens[to]) && !isPlural(sentence.tokens, from));
    return to - from > 1 && token.tag === 'noun';
  }
  return language === 'de' || to - from > 1;
}

const isSubject = (next: Token | undefined): boolean =>
  next !== undefined && (next.tag === 'verb' || next.tag === 'auxiliary' || /^(?:['’]s?|\(|,|and|&)$/.test(next.lower));

/** `Bicycles and handcarts`, `Supplies were`: a common noun with its lower-case companion, or with a verb in the plural. */
function isPlural(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]?.lower ?? '';
  const companion = tokens[at + 2];
  if (next === 'and') return companion?.kind === 'word' && !companion.isCapital && companion.tag !== 'verb';
  return /[^aisu]s$/.test(tokens[at]?.lower ?? '') && /^(?:are|were|have)$/.test(next);
}

function isNameAlone(tokens: readonly Token[], at: number, { gazetteer }: NameContext): boolean {
  const token = tokens[at];
  if (token === undefined || token.kind !== 'word' || [...token.text].length < 2) return false;
  if (demonyms.has(token.lower) || emptyCapitals.has(token.lower) || honorifics.has(token.lower)) return false;
  if (emptyNouns.has(token.lower) || monthNames.has(token.lower)) return false;
  if (/^\p{Lu}\.$/u.test(token.text) || /^[IVXLC]+$/.test(token.text)) return false;
  if (gazetteer.has(token.lower)) return true;
  if (surnameNouns.has(token.lower) && !/^(?:the|a|an|this|our|their|its)$/.test(tokens[at - 1]?.lower ?? ''))
    return true;
  // A general noun with a capital (`the Company`, `the Agreement`) is defined only within its document.
  return !INSTITUTION_NOUNS.some((heads) => heads.has(token.lower)) && !personNouns.has(token.lower);
}

// `in Betrieb`, `nach Hause`
const WITHOUT_ARTICLE = new Set(
  'betrieb kraft form hause bezug zukunft teil art sicht gang not gefahr holz stein gold rot blau grün weiß schwarz'.split(
    ' ',
  ),
);
const NOUN_ENDING = /(?:ung|ungen|heit|keit|schaft|tion|tionen|ität|nis|ling|tum|chen|en|er|e)$/;

/** German capitalises all nouns, so a name is recognised by its words or by the absence of an article. */
function isGermanName(
  { tokens, style }: Sentence,
  from: number,
  to: number,
  { evidence, gazetteer }: NameContext,
): boolean {
  const words = tokens.slice(from, to);
  const [first] = words;
  if (first === undefined) return false;
  const isKnown = words.some(
    ({ lower, text }) =>
      gazetteer.has(lower) || legalForms.has(lower) || /^\p{Lu}{2,6}$/u.test(text) || /^\p{Lu}\.$/u.test(text),
  );
  if (isKnown || givenNames.has(first.lower)) return true;
  // `Max-Planck-Gesellschaft`
  if (/^\p{Lu}\p{Ll}+-\p{Lu}\p{Ll}+-\p{Lu}/u.test(first.text)) return true;
  if (words.length > 1) return style === 'prose';
  if (style !== 'prose' || evidence.afterDeterminer(first.lower) > 0) return false;
  if (personNouns.has(tokens[from - 1]?.lower ?? '') || honorifics.has(tokens[from - 1]?.lower ?? '')) return true;
  const before = tokens[from - 1]?.lower ?? '';
  if (/^(?:in|nach|aus)$/.test(before) && !NOUN_ENDING.test(first.lower) && !WITHOUT_ARTICLE.has(first.lower))
    return true;
  return evidence.capitalizedInside(first.lower) >= 2 && !NOUN_ENDING.test(first.lower);
}

const OPENING = /^[“„«‚‘"]$/;
const CLOSING: Readonly<Record<string, string>> = { '“': '”', '„': '“', '«': '»', '"': '"', '‘': '’', '‚': '‘' };

/** A quoted title in title case; the span excludes the quotation marks. */
function quotedTitle(tokens: readonly Token[], at: number, language: GraphLanguage): TokenSpan | undefined {
  const open = tokens[at];
  if (open === undefined || !OPENING.test(open.text)) return undefined;
  for (let to = at + 1; to < tokens.length && to - at <= MAX_WORDS + 1; to++) {
    const token = tokens[to];
    if (token?.kind !== 'mark' || !(token.text === CLOSING[open.text] || token.text === '”')) continue;
    const words = tokens.slice(at + 1, to).filter(({ kind }) => kind === 'word');
    const capitalizesTitles = language === 'en' || language === 'de' || language === 'other';
    const uncommon = words.filter(({ isCommon }) => !isCommon);
    const isTitle =
      words.length >= 2 &&
      words[0]?.isCapital &&
      (uncommon.filter(({ isCapital }) => isCapital).length >= Math.max(1, uncommon.length * 0.7) ||
        !capitalizesTitles);
    const endsLikeSentence = /^[.,!?]$/.test(tokens[to - 1]?.text ?? '');
    return isTitle ? { from: at + 1, to: endsLikeSentence ? to - 1 : to } : undefined;
  }
  return undefined;
}
