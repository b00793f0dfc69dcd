import { type Claim, clausesOf, sum, toClaim } from './claim.ts';
import { isExchanged, isOwnerOnly, isReplaced } from './exchange.ts';
import { hasAmount, hasUnitOfArticle, isLabelledAlike } from './number-labels.ts';
import type { SourceSentence, SourceSentences } from './source-sentences.ts';
import type { Subject } from './subjects.ts';
import { isInNamedColumn } from './table-columns.ts';
import type { TextAnalyser } from './text-analyser.ts';
import type { Token } from './tokens.ts';

/** Share of a statement's words that sentences must have, after subtracting words that only other sentences have. */
const MIN_CLOSE_SCORE = 0.5;
/** With fewer words, half of them is a single word, which any text may contain by chance. */
const MIN_WORDS_FOR_HALF = 3;
/** Other clauses of the same sentence may say in other words what the statement says. */
const OTHER_CLAUSE_WEIGHT = 0.5;
/** A word of an inflected language of which only the beginning is found. */
const BEGINNING_FOUND = 0.5;
/** Sentences with the most words of a statement, around which support is looked for. */
const MAX_CENTRES = 8;
const MAX_NEIGHBOURS = 2;
/** Share of a statement's words that a source must have anywhere; titles can add others. */
const MIN_ANYWHERE = 0.3;
/** Content words of a clause that is checked by itself. */
const MIN_CLAUSE = 3;

export interface Support {
  /** Weighted share of the statement's words in the sentences that support it best. */
  readonly score: number;
  readonly isSupported: boolean;
}

export interface PartialSupport extends Support {
  /** The parts of the statement that sentences support, one by one; the whole statement if they support it as a whole. */
  readonly parts: readonly string[];
}

/**
 * Returns a function that tells whether neighbouring sentences of a source say what a statement says, by their words. A
 * statement of several clauses is supported if the source supports each of them somewhere.
 */
export function createSupportCheck(given: string, analyser: TextAnalyser): (source: SourceSentences) => PartialSupport {
  const statement = given.replace(/\s+/g, ' ');
  const whole = toClaim(statement, analyser);
  const partsFrom = clausesOf(statement, analyser);
  return (source) => {
    const asWhole = { ...bestSupport(whole, source), parts: [statement] };
    if (asWhole.isSupported || partsFrom.length < 2 || asWhole.score < MIN_ANYWHERE) return asWhole;
    const parts: string[] = [];
    let score = 1;
    for (let start = 0; start < partsFrom.length; ) {
      const longest = partsFrom[start]
        ?.map((part, ahead) => ({ ...supportOfPart(part(), source), ahead, text: part().text }))
        .findLast(({ isSupported }) => isSupported);
      if (longest === undefined) return asWhole;
      score = Math.min(score, longest.score);
      parts.push(longest.text);
      start += longest.ahead + 1;
    }
    return { isSupported: true, score: Math.max(score, asWhole.score), parts };
  };
}

/** A part with too few words would be in any text. */
const supportOfPart = (part: Claim, source: SourceSentences): Support =>
  part.units.length < MIN_CLAUSE ? { score: 0, isSupported: false } : bestSupport(part, source);

function bestSupport(claim: Claim, source: SourceSentences): Support {
  if (claim.total === 0) return { score: 0, isSupported: false };
  // Most sources are about something else.
  const isAnywhere = (index: number) => {
    const has = (term: string) => source.placesOf(term).length > 0;
    return claim.units[index]?.terms.some(has) === true || claim.variants[index]?.some(has) === true;
  };
  const anywhere = sum(claim.weights.filter((_, index) => isAnywhere(index))) / claim.total;
  if (anywhere < MIN_ANYWHERE) return { score: anywhere, isSupported: false };
  const found = findUnits(claim, source);
  const centres = [...found.totals]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MAX_CENTRES)
    .map(([place]) => place);
  let score = 0;
  for (const centre of centres) {
    const stretch = stretchAround(centre, claim, source.all);
    const { share, isEnough, isSubjectElsewhere } = coverage(claim, found, { stretch, source });
    score = Math.max(score, share);
    if (!isEnough || isSubjectElsewhere) continue;
    if (isAboutOther(claim, stretch, source)) continue;
    if (
      hasNumbers(
        claim,
        stretch.map((place) => source.all[place]).filter((it) => it !== undefined),
        source,
      )
    )
      return { score: share, isSupported: true };
  }
  return { score, isSupported: false };
}

/** Whether a sentence has another word in the place of one that the statement has from elsewhere. */
function isAboutOther({ tokens }: Claim, stretch: readonly number[], source: SourceSentences): boolean {
  const own = stretch.flatMap((place) => source.all[place] ?? []).filter(({ isRow }) => !isRow);
  const isElsewhere = ({ term = '' }: Token) =>
    source.placesOf(term).length > 0 && !own.some((it) => it.terms.has(term) || it.context.has(term));
  const sentences = [...new Set(own.map(({ sentence }) => sentence))].map(
    (number) => source.whole()[number]?.tokens() ?? [],
  );
  return (
    isOwnerOnly(tokens(), sentences) ||
    sentences.some((sentence) => isExchanged(tokens(), sentence) || isReplaced(tokens(), sentence, isElsewhere))
  );
}

interface Found {
  /** For each unit, how well the sentences have it. */
  readonly of: readonly ReadonlyMap<number, number>[];
  /** For each sentence, the weight of the units it has. */
  readonly totals: ReadonlyMap<number, number>;
}

function findUnits({ units, weights, variants }: Claim, source: SourceSentences): Found {
  const totals = new Map<number, number>();
  const of = units.map(({ terms }, index) => {
    const places = new Map<number, number>();
    for (const [rank, term] of terms.entries())
      for (const place of source.placesOf(term))
        if (!places.has(place)) places.set(place, rank === 0 ? 1 : BEGINNING_FOUND);
    for (const term of variants[index] ?? []) for (const place of source.placesOf(term)) places.set(place, 1);
    for (const [place, value] of places) totals.set(place, (totals.get(place) ?? 0) + value * (weights[index] ?? 0));
    return places;
  });
  return { of, totals };
}

/** A sentence with those beside it that it refers to, that refer to it, or that are about the subject of the statement too. */
function stretchAround(centre: number, claim: Claim, all: readonly SourceSentence[]): number[] {
  const stretch = [centre];
  const refersBack = (place: number) => all[place]?.subject().refersBack === true;
  const isJoined = (one: number, other: number) => {
    // A statement that lists ("books for four weeks, films for one") and the clauses of one sentence have several subjects.
    const isList = LISTS.test(claim.text) || all[one]?.sentence === all[other]?.sentence;
    const named = isList ? claim.terms : claim.subjectTerms;
    return isNamed(all[one]?.subject(), named) && isNamed(all[other]?.subject(), named);
  };
  let first = centre;
  while (stretch.length <= MAX_NEIGHBOURS && first > 0 && (refersBack(first) || isJoined(first, first - 1)))
    stretch.unshift(--first);
  let last = centre;
  while (
    stretch.length <= MAX_NEIGHBOURS &&
    last + 1 < all.length &&
    (refersBack(last + 1) || isJoined(first, last + 1))
  )
    stretch.push(++last);
  return stretch;
}

/** Verbs that say little by themselves, of which other sentences of a text have some as well. */
const GENERAL_VERB =
  /^(?:needs?|needed|takes?|took|taken|makes?|made|gets?|got|gives?|gave|given|goes|went|gone|uses?|used|keeps?|kept|brauch(?:t|en)|nimmt|nehmen|macht|machen|gibt|geben|geht|gehen|hält|halten)$/u;

const LISTS = /[,;，、]|\s(?:and|und|et|y|e|en|och)\s/u;

/** Whether these terms name most of what a sentence is about. */
function isNamed(subject: Subject | undefined, terms: ReadonlySet<string>): boolean {
  if (subject === undefined || subject.units.length === 0) return false;
  const named = subject.units.filter((unit) => unit.terms.some((term) => terms.has(term)));
  return named.length > subject.units.length / 2;
}

interface Stretch {
  readonly stretch: readonly number[];
  readonly source: SourceSentences;
}

function coverage(claim: Claim, found: Found, { stretch, source }: Stretch) {
  const { units, weights, total, names, subject } = claim;
  const [anchor] = stretch;
  const below = source.all[anchor ?? 0]?.context ?? new Set<string>();
  const ofSubject = new Set(subject.units.flatMap(({ terms }) => terms.slice(0, 1)));
  const own = new Set(stretch.map((place) => source.all[place]?.sentence));
  let has = 0;
  let elsewhere = 0;
  let isNameElsewhere = false;
  let isSubjectWord = false;
  for (const [index, unit] of units.entries()) {
    const places = found.of[index] ?? new Map<number, number>();
    const weight = weights[index] ?? 0;
    const [exact = ''] = unit.terms;
    const value = below.has(exact) ? 1 : Math.max(0, ...stretch.map((place) => places.get(place) ?? 0));
    has += value * weight;
    if (value > 0 || GENERAL_VERB.test(unit.text) || ![...places.values()].includes(1)) continue;
    const isInOtherClause = [...places.keys()].some((place) => own.has(source.all[place]?.sentence));
    elsewhere += weight * (isInOtherClause ? OTHER_CLAUSE_WEIGHT : 1);
    if (names.has(unit)) isNameElsewhere = true;
    if (ofSubject.has(exact)) isSubjectWord = true;
  }
  const share = has / total;
  const net = (has - elsewhere) / total;
  // With half of its words here and others elsewhere, a statement may as well be about what those are about.
  const isMore = elsewhere > 0 ? net > MIN_CLOSE_SCORE : net >= MIN_CLOSE_SCORE;
  const isEnough = units.length < MIN_WORDS_FOR_HALF ? share === 1 : isMore;
  const about = source.all[anchor ?? 0]?.subject();
  const isSubjectElsewhere =
    isNameElsewhere || (isSubjectWord && about !== undefined && !about.refersBack && !isNamed(about, claim.terms));
  return { share, isEnough, isSubjectElsewhere };
}

/** Whether sentences have all numbers of a statement, each beside what it counts. */
function hasNumbers(claim: Claim, sentences: readonly SourceSentence[], source: SourceSentences): boolean {
  const { numbers, labelled } = claim;
  const hasDigits = ({ numbers: given, context }: SourceSentence, digits: string) =>
    given().has(digits) || context.has(digits);
  const measured = new Map(labelled.flatMap((number) => (number.measure ? [[number.digits, number] as const] : [])));
  return (
    numbers.every((number) => {
      const amount = measured.get(number);
      return sentences.some(
        (sentence) => hasDigits(sentence, number) || (amount !== undefined && hasAmount(amount, sentence.words())),
      );
    }) &&
    labelled.every((number) => {
      if (number.isArticle)
        return hasUnitOfArticle(
          number,
          sentences.map(({ words }) => words()),
        );
      const isKnown = (number.label?.terms ?? []).slice(0, 1).some((term) => source.placesOf(term).length > 0);
      const having = sentences.filter(
        (sentence) => hasDigits(sentence, number.digits) || hasAmount(number, sentence.words()),
      );
      return having.some((sentence) => {
        const isInContext = number.label?.terms.some((term) => sentence.context.has(term)) === true;
        if (sentence.isRow) return isInNamedColumn(number.digits, sentence, claim);
        return isInContext || isLabelledAlike(number, sentence.words(), isKnown);
      });
    })
  );
}
