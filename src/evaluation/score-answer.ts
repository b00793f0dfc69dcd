import { checkStatement, toComparableText } from '../citations/check-citation.ts';
import { statementBefore } from '../citations/statement-before.ts';
import { supports, type Verdict } from '../citations/verdict.ts';
import { analyse, analyseQuery } from '../store/full-text/analyse.ts';
import { containsAnswer } from './contains-text.ts';
import { isRefusal } from './is-refusal.ts';
import type { ResolvedQuestion } from './resolve-documents.ts';
import type { Scores } from './scores.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A citation as returned by the evaluated system. */
export interface EvaluatedCitation {
  readonly documentId: string;
  /** Positions of its markers in the answer. */
  readonly spans: readonly Span[];
  /** Retrieved text of the source. */
  readonly text?: string;
  /** The system's own verdict. */
  readonly verdict?: Verdict;
  /** Offsets in the document's text. */
  readonly quotes: readonly (Span & { readonly text: string })[];
  /** Whether it refers to a document of the corpus, which can be checked. */
  readonly isOfDocument: boolean;
}

export interface EvaluatedAnswer {
  readonly text: string;
  readonly citations: readonly EvaluatedCitation[];
  /** Number of markers without a source. */
  readonly removedMarkers: number;
}

export interface AnswerScores {
  readonly scores: Scores;
  readonly isRefused: boolean;
  /** Number of cited statements per verdict on their support by the source. */
  readonly verdicts: Readonly<Partial<Record<Verdict, number>>>;
}

/** Reads a range of a document's stored text. */
export type ReadText = (documentId: string, stretch: Span) => Promise<string | undefined>;

/** Scores an answer without an LLM judge: by the expected answer, and by checking each citation. Deterministic. */
export async function scoreAnswer(
  question: ResolvedQuestion,
  answer: EvaluatedAnswer,
  readText: ReadText,
): Promise<AnswerScores> {
  const isRefused = isRefusal(answer.text);
  const verdicts = verdictsOf(answer);
  const cites = !isRefused || answer.citations.length > 0;
  return {
    scores: {
      ...expectationScores(question, answer, isRefused),
      ...(cites && { supported: shareSupported(verdicts), ...(await formScore(answer, readText)) }),
    },
    isRefused,
    verdicts: countVerdicts(verdicts),
  };
}

function expectationScores(question: ResolvedQuestion, answer: EvaluatedAnswer, isRefused: boolean): Scores {
  if (question.isUnanswerable) return { refused: isRefused ? 1 : 0 };
  const { answers, expected } = question;
  const isRight = answers.some((wanted) => containsAnswer(answer.text, wanted));
  const isSourceRight = answer.citations.some(({ documentId }) => expected.some((ids) => ids.has(documentId)));
  return {
    answered: isRefused ? 0 : 1,
    ...(answers.length > 0 && { answer: isRight ? 1 : 0 }),
    ...(expected.length > 0 && { right_source: isSourceRight ? 1 : 0 }),
  };
}

/** For each citation, the system's own verdict if available, or else one verdict per marker. */
function verdictsOf({ text, citations }: EvaluatedAnswer): readonly Verdict[] {
  const analyser = { analyse, analyseQuery };
  const texts = new Map(citations.map((citation) => [citation, toComparableText(textOf(citation), analyser)] as const));
  const comparable = (citation: EvaluatedCitation) =>
    texts.get(citation) ?? toComparableText(textOf(citation), analyser);
  return citations.flatMap((citation) => {
    const { spans, verdict } = citation;
    if (verdict !== undefined) return [verdict];
    const cited = comparable(citation);
    const others = citations.flatMap((other, index) =>
      other === citation ? [] : [[index, comparable(other)] as const],
    );
    return spans.map(({ start }) => {
      const statement = statementBefore(text, start);
      return checkStatement({ statement, cited, others, analyser }).verdict;
    });
  });
}

const textOf = ({ text, quotes }: EvaluatedCitation): string => text ?? quotes.map((quote) => quote.text).join('\n');

/** Share of verdicts that count as support; 0 without citations. */
const shareSupported = (verdicts: readonly Verdict[]): number =>
  verdicts.length === 0 ? 0 : verdicts.filter(supports).length / verdicts.length;

function countVerdicts(verdicts: readonly Verdict[]): Partial<Record<Verdict, number>> {
  const counts: Partial<Record<Verdict, number>> = {};
  for (const verdict of verdicts) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

/** Quotes are checked against the stored documents rather than the text in the answer. */
async function formScore(answer: EvaluatedAnswer, readText: ReadText): Promise<Scores> {
  const { citations, removedMarkers, text } = answer;
  let good = 0;
  for (const { spans, quotes, documentId, isOfDocument } of citations) {
    const isMarked = spans.length > 0 && spans.every(({ start, end }) => /^\[\d{1,3}\]$/.test(text.slice(start, end)));
    const there = isOfDocument ? await Promise.all(quotes.map((quote) => readText(documentId, quote))) : [];
    if (isMarked && there.every((stored, index) => stored === quotes[index]?.text)) good += 1;
  }
  const all = citations.length + removedMarkers;
  return all === 0 ? {} : { well_formed: good / all };
}
