import { PRONOUN } from './subjects.ts';
import { ARTICLE, type Token } from './tokens.ts';

/** Share of a statement's words that a sentence must have to be compared with it. */
const MIN_SHARE = 0.6;

/**
 * Whether a statement has a word of one clause of a sentence in place of a word of another: "A has 7" for "A has 5 and B has 7".
 * The clause of such a word has others that the statement lacks (B), and the other words of the statement stand nearer to a
 * word that the statement lacks (5) and that stands in the same place.
 */
export function isExchanged(statement: readonly Token[], sentence: readonly Token[]): boolean {
  const stated = termsOf(statement);
  if (stated.intersection(termsOf(sentence)).size < stated.size * MIN_SHARE) return false;
  const read = readSentence(sentence, stated, pairsOf(statement));
  const { runs, voters, hasOther, distance } = read;
  return runs.some((run) => {
    if (!run.isUnique || !hasOther(run)) return false;
    return runs.some((rival) => {
      if (rival.isStated || distance(run.start, rival.start) === 0 || !isInPlaceOf(rival, run, read)) return false;
      const others = voters.filter((place) => place < run.start || place >= run.end);
      const isNearer = (place: number) => Math.sign(distance(place, rival.start) - distance(place, run.start));
      return others.some((place) => isNearer(place) < 0) && !others.some((place) => isNearer(place) > 0);
    });
  });
}

/**
 * Whether a sentence has another word in place of one of the statement: one that stands elsewhere in the source, or a number.
 */
export function isReplaced(
  statement: readonly Token[],
  sentence: readonly Token[],
  isElsewhere: (token: Token) => boolean,
): boolean {
  const [stated, given] = [termsOf(statement), termsOf(sentence)];
  if (stated.intersection(given).size < stated.size * MIN_SHARE) return false;
  const rivals = placesOf(sentence).filter((place) => !stated.has(sentence[place]?.term ?? ''));
  return placesOf(statement).some((at) => {
    const token = statement[at];
    if (token === undefined || given.has(token.term ?? '') || !(token.isNumber || isElsewhere(token))) return false;
    return rivals.some((place) => {
      const [one, other] = [frameOf(statement, at, at + 1), frameOf(sentence, place, place + 1)];
      const isPreceded = one.contentBefore !== undefined && one.contentBefore === other.contentBefore;
      return (
        one.isNumber === other.isNumber &&
        ((isSameBefore(one, other) && (isPreceded || one.after === other.after)) || isSameAfter(one, other))
      );
    });
  });
}

const termsOf = (tokens: readonly Token[]): ReadonlySet<string> =>
  new Set(tokens.flatMap(({ term }) => (term === undefined ? [] : [term])));

const placesOf = (tokens: readonly Token[]): number[] =>
  [...tokens.keys()].filter((place) => tokens[place]?.term !== undefined);

const pairOf = (one: Token | undefined, other: Token | undefined): string => `${one?.term} ${other?.term}`;
const pairsOf = (tokens: readonly Token[]): ReadonlySet<string> =>
  new Set(tokens.map((token, place) => pairOf(tokens[place - 1], token)));

/** Content words that follow each other and stand together in the statement as well, or are both not in it. */
interface Run extends Frame {
  readonly start: number;
  readonly end: number;
  readonly isStated: boolean;
  /** Whether the statement has it, and the sentence has it once. */
  readonly isUnique: boolean;
}

function readSentence(sentence: readonly Token[], stated: ReadonlySet<string>, pairs: ReadonlySet<string>) {
  const times = new Map<string, number>();
  for (const { term = '' } of sentence) times.set(term, (times.get(term) ?? 0) + 1);
  const isStated = (place: number) => stated.has(sentence[place]?.term ?? '');
  const isUnique = (place: number) => isStated(place) && times.get(sentence[place]?.term ?? '') === 1;
  let clause = 0;
  const clauses = sentence.map(({ border }) => (clause += border));
  const distance = (one: number, other: number) => Math.abs((clauses[one] ?? 0) - (clauses[other] ?? 0));
  const places = placesOf(sentence);
  const runs: Run[] = [];
  for (const start of places) {
    const last = runs.at(-1);
    const isTogether = isUnique(start)
      ? isUnique(start - 1) && pairs.has(pairOf(sentence[start - 1], sentence[start]))
      : !isStated(start) && !isStated(start - 1);
    const isNext = last?.end === start && sentence[start]?.border === 0 && isTogether;
    const from = isNext ? last.start : start;
    if (isNext) runs.pop();
    const [end, frame] = [start + 1, frameOf(sentence, from, start + 1)];
    runs.push({ ...frame, start: from, end, isStated: isStated(start), isUnique: isUnique(start) });
  }
  return {
    runs,
    distance,
    /** Words by which statement and sentence are compared. */
    voters: places.filter(isUnique),
    /** Whether the clause has words that the statement lacks. */
    hasOther: ({ start }: Run) => places.some((place) => distance(place, start) === 0 && !isStated(place)),
    /** Whether the clauses of both have a word in common, except articles. */
    areAlike(one: Run, other: Run): boolean {
      const wordsOf = ({ start }: Run) =>
        sentence.filter(({ text }, place) => text !== ARTICLE && distance(place, start) === 0).map(({ text }) => text);
      return !new Set(wordsOf(one)).isDisjointFrom(new Set(wordsOf(other)));
    },
  };
}

type ReadSentence = ReturnType<typeof readSentence>;

function isInPlaceOf(rival: Run, run: Run, { areAlike }: ReadSentence): boolean {
  if (rival.isNumber !== run.isNumber || rival.isPronoun) return false;
  const isBefore = rival.before === run.before;
  return (
    isSameBefore(rival, run) ||
    isSameAfter(rival, run) ||
    (isBefore && rival.after === run.after) ||
    (isBefore && run.before === BEGINNING && areAlike(rival, run))
  );
}

/** The words around a run, as far as they are in its clause. */
interface Frame {
  readonly before: string;
  readonly after: string;
  /** Whether only words of the same kind are likely to follow the word before: "at the", but not "the". */
  readonly isBeforeClear: boolean;
  readonly isAfterClear: boolean;
  readonly contentBefore: string | undefined;
  readonly isNumber: boolean;
  readonly isPronoun: boolean;
}

const BEGINNING = '^';
const END = '$';
function frameOf(tokens: readonly Token[], start: number, end: number): Frame {
  const [first, next] = [tokens[start], tokens[end]];
  const isFirst = (place: number) => (tokens[place]?.border ?? 1) > 0;
  const [direct, second] = [tokens[start - 1], tokens[start - 2]];
  const isAfterArticle = !isFirst(start) && direct?.text === ARTICLE;
  const isFunctionBeforeArticle = isAfterArticle && !isFirst(start - 1) && second?.term === undefined;
  const begins = isFirst(start) || (isAfterArticle && isFirst(start - 1));
  const isLast = next === undefined || next.border > 0;
  return {
    before: begins ? BEGINNING : ((isFunctionBeforeArticle ? second?.text : direct?.text) ?? BEGINNING),
    after: isLast ? END : next.text,
    isBeforeClear: !begins && (!isAfterArticle || isFunctionBeforeArticle),
    isAfterClear: !isLast && next.term !== undefined,
    contentBefore: tokens.slice(0, start).findLast(({ term }) => term !== undefined)?.term,
    isNumber: first?.isNumber === true,
    isPronoun: PRONOUN.test(first?.text ?? ''),
  };
}

const isSameBefore = (one: Frame, other: Frame): boolean => one.isBeforeClear && one.before === other.before;
const isSameAfter = (one: Frame, other: Frame): boolean => one.isAfterClear && one.after === other.after;
