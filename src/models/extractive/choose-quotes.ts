import type { Span } from '../../citations/citation.ts';
import type { TextAnalyser } from '../../citations/text-analyser.ts';
import type { QuoteSupport } from '../model.ts';
import { isConfident, isFew } from './confidence.ts';
import type { AnswerKind } from './expected-answer.ts';
import { containsLetters, namedLetters } from './named-letters.ts';
import { readQuestion } from './question.ts';
import { type Candidate, rankSentences } from './rank-sentences.ts';
import type { ReadSentence, ReadSource, SourceText } from './read-source.ts';
import { repeats } from './repetition.ts';
import type { TableCell } from './table-rows.ts';

export type { SourceText } from './read-source.ts';

/** Sentences or a row that answer the question; offsets in the source's text. */
export interface ChosenQuote extends Span {
  /** Index into the sources given. */
  readonly sourceIndex: number;
  /** For a table row, the cell that answers. */
  readonly cell?: TableCell;
}

/** `closest` means that the quotes may not answer the question; with `none` there are no quotes. */
export interface QuoteSelection {
  readonly support: QuoteSupport;
  /** Best first. */
  readonly quotes: readonly ChosenQuote[];
}

export interface QuoteChoice {
  readonly question: string;
  /** Best first. */
  readonly sources: readonly SourceText[];
  readonly analyser: TextAnalyser;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 3;
// Factor on the required support if there are few sources: word rarity is overestimated among them.
const NEEDED_OF_FEW = 0.7;
const NO_QUOTES: QuoteSelection = { support: 'none', quotes: [] };

/** Chooses the sentences that best answer the question and estimates whether they do. */
export function chooseQuotes({ question, sources, analyser, limit = DEFAULT_LIMIT }: QuoteChoice): QuoteSelection {
  const parsedQuestion = readQuestion(question, analyser);
  const ranked = rankSentences(parsedQuestion, { question, sources, analyser });
  const [best] = ranked.candidates;
  if (best === undefined || parsedQuestion.terms.length === 0 || ranked.mostSupport === 0) return NO_QUOTES;

  const isFigure = ranked.kind === 'number' || ranked.kind === 'time';
  const candidates = withoutEchoes(isFigure ? withKindFirst(ranked.candidates) : ranked.candidates);
  const picked = pickQuotes(candidates, { limit, sources, kind: ranked.kind });
  const isAbout = containsLetters(namedLetters(question), textsOf(picked, sources));
  // Without a value where it should stand, as in a form that was not filled in, other sentences do not answer either.
  const lacksValue = picked.some(({ sentences }) => sentences.some((each) => each.lacksValue));
  const isAnswer =
    isAbout && !lacksValue && picked.some(({ mayAnswer }) => mayAnswer) && isConfident(parsedQuestion, ranked);
  const needed = parsedQuestion.minSupport * (isFew(sources.length) ? NEEDED_OF_FEW : 1);
  if (!isAnswer && ranked.mostSupport < needed) return NO_QUOTES;
  return { support: isAnswer ? 'answer' : 'closest', quotes: withAntecedents(picked, sources, ranked.sources) };
}

/** The texts from which was quoted, with their titles and headings. */
const textsOf = (picked: readonly PickedQuote[], sources: readonly SourceText[]): string[] =>
  picked.flatMap(({ sourceIndex }) => {
    const source = sources[sourceIndex];
    return source === undefined ? [] : [source.about, source.text];
  });

// A further sentence is quoted if its probability to answer is at least this share of the best sentence's. Measured on
// XQuAD: with 0.05, a seventh fewer characters are quoted, and 0.015 fewer of the answers.
const MIN_SHARE_OF_BEST = 0.025;
const MAX_SENTENCES = 5;

// Minimum probability and word coverage, relative to the best sentence, of one moved first for its kind of answer.
const MIN_SHARE_OF_KIND = 0.005;
const MIN_WORDS_OF_KIND = 0.3;

/** If the best sentence cannot contain the figure asked for, moves one of the same source that can to the front. */
function withKindFirst(candidates: readonly Candidate[]): readonly Candidate[] {
  const [best] = candidates;
  if (best === undefined || best.mayAnswer) return candidates;
  const fit = candidates.find(
    ({ mayAnswer, sourceIndex, score, features }) =>
      mayAnswer &&
      sourceIndex === best.sourceIndex &&
      Math.exp(score - best.score) >= MIN_SHARE_OF_KIND &&
      features.words >= MIN_WORDS_OF_KIND * best.features.words,
  );
  return fit === undefined ? candidates : [fit, ...candidates.filter((candidate) => candidate !== fit)];
}

/** Without labels that only repeat words of the question, unless there is nothing else. */
function withoutEchoes(candidates: readonly Candidate[]): readonly Candidate[] {
  const others = candidates.filter(({ isEcho }) => !isEcho);
  return others.length > 0 ? others : candidates;
}

interface PickedQuote extends ChosenQuote {
  readonly first: number;
  readonly last: number;
  readonly sentences: readonly Candidate[];
  readonly mayAnswer: boolean;
}

interface PickParts {
  readonly limit: number;
  readonly sources: readonly SourceText[];
  readonly kind: AnswerKind | undefined;
}

/** Picks the most probable sentences; adjacent ones become one quote. */
function pickQuotes(candidates: readonly Candidate[], { limit, sources, kind }: PickParts): PickedQuote[] {
  const picked: PickedQuote[] = [];
  const [best] = candidates;
  let count = 0;
  for (const candidate of candidates) {
    const share = Math.exp(candidate.score - (best?.score ?? 0));
    if (count >= MAX_SENTENCES) break;
    if (count > 0 && (share < MIN_SHARE_OF_BEST || isIdle(candidate, picked, kind))) continue;
    if (best !== undefined && isOtherRow(candidate, best)) continue;
    if (picked.some(({ sentences }) => repeats(candidate, sentences))) continue;
    const at = picked.findIndex((quote) => isAdjacent(candidate, quote, sources[quote.sourceIndex]?.text ?? ''));
    const neighbour = picked[at];
    if (neighbour !== undefined) picked[at] = joined(neighbour, candidate);
    else if (picked.length < limit) {
      const { sourceIndex, start, end, cell, position, mayAnswer } = candidate;
      picked.push({
        sourceIndex,
        start,
        end,
        sentences: [candidate],
        mayAnswer,
        first: position,
        last: position,
        ...(cell && { cell }),
      });
    } else continue;
    count += 1;
  }
  return picked;
}

/** Whether it is a row of a data file and another row, which the question names in full, was found. */
const isOtherRow = (candidate: Candidate, best: Candidate): boolean =>
  best.isNamedRow && best.features.cell === 1 && candidate.isNamedRow && candidate.features.cell < 1;

/** Whether it shares no term with the question and does not give the kind of answer that is still missing. */
function isIdle({ features }: Candidate, picked: readonly PickedQuote[], kind: AnswerKind | undefined): boolean {
  if (features.share > 0 || kind === undefined) return false;
  // Any capital letter may be a place, which says too little.
  const isGiven = ({ mayAnswer, sentences }: PickedQuote) =>
    kind === 'place' ? sentences.some((each) => each.features.kind === 1) : mayAnswer;
  return features.kind === 0 || picked.some(isGiven);
}

const MAX_COMBINED_LENGTH = 500;

/** Whether the sentence stands directly before or after the quote, in the same paragraph. */
function isAdjacent({ sourceIndex, position, start, end, cell }: Candidate, quote: PickedQuote, text: string): boolean {
  if (sourceIndex !== quote.sourceIndex || cell !== undefined || quote.cell !== undefined) return false;
  if (position !== quote.first - 1 && position !== quote.last + 1) return false;
  const between = position < quote.first ? text.slice(end, quote.start) : text.slice(quote.end, start);
  const length = Math.max(end, quote.end) - Math.min(start, quote.start);
  return length <= MAX_COMBINED_LENGTH && !/\n/.test(between);
}

const joined = (quote: PickedQuote, candidate: Candidate): PickedQuote => ({
  ...quote,
  start: Math.min(quote.start, candidate.start),
  end: Math.max(quote.end, candidate.end),
  first: Math.min(quote.first, candidate.position),
  last: Math.max(quote.last, candidate.position),
  sentences: [...quote.sentences, candidate],
  mayAnswer: quote.mayAnswer || candidate.mayAnswer,
});

function withAntecedents(
  picked: readonly PickedQuote[],
  sources: readonly SourceText[],
  read: readonly ReadSource[],
): ChosenQuote[] {
  const quotes: ChosenQuote[] = [];
  for (const { sourceIndex, start, end, cell } of picked) {
    const alone = { sourceIndex, start, end, ...(cell && { cell }) };
    const whole = withAntecedent(alone, sources[sourceIndex]?.text ?? '', read[sourceIndex]?.sentences ?? []);
    const isFree = (quote: ChosenQuote) => !quotes.some((other) => overlap(quote, other));
    if (isFree(whole)) quotes.push(whole);
    else if (isFree(alone)) quotes.push(alone);
  }
  return quotes;
}

const overlap = (a: ChosenQuote, b: ChosenQuote): boolean =>
  a.sourceIndex === b.sourceIndex && a.start < b.end && b.start < a.end;

// Anaphoric words at the start of a sentence.
const ANAPHOR =
  /^["“„«(]?(?:(?:he|she|it|they|his|her|its|their|this|these|that|those|such|here|there|er|sie|es|dies|diese[rsmn]?|il|elle|ils|elles|ce|cela|ella|él|ellos|esto|este|esta)(?![\p{L}\p{N}])|[他她它这那該该其此]|彼|彼女|それ|これ|そこ)/iu;

const MAX_RECORD_LENGTH = 200;

/** Prepends the sentence before the quote when the quote opens with a word such as "He" that refers back. */
function withAntecedent<Quote extends Span>(quote: Quote, text: string, sentences: readonly ReadSentence[]): Quote {
  const index = sentences.findIndex(({ start }) => start === quote.start);
  // A value says nothing without the line that begins its record.
  const record = sentences[sentences[index]?.record ?? -1];
  if (record !== undefined && quote.end - record.start <= MAX_RECORD_LENGTH) return { ...quote, start: record.start };
  const before = sentences[index - 1];
  if (before === undefined || !ANAPHOR.test(text.slice(quote.start, quote.end))) return quote;
  // References do not cross paragraphs.
  const isSameParagraph = !/\n\s*\n/.test(text.slice(before.end, quote.start));
  return isSameParagraph && quote.end - before.start <= MAX_COMBINED_LENGTH ? { ...quote, start: before.start } : quote;
}
