import {
  type AnswerCheck,
  type AnswerChecker,
  type AnswerCheckRequest,
  type CheckedStatement,
  checkLimits,
} from '../citations/answer-check.ts';
import { createStatementCheck, type ScoredVerdict } from '../citations/check-citation.ts';
import { readStatements, type Statement } from '../citations/read-statements.ts';
import { hasContent } from '../citations/short-claim.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import { compareVerdicts, supports } from '../citations/verdict.ts';
import { ServiceError } from '../errors.ts';
import type { CandidatePassage } from './candidate-passage.ts';
import { createEvidenceFinder, type EvidenceFinder, type EvidenceFinderParts } from './evidence-finder.ts';

/** Compares an answer with the corpus statement by statement, lexically and without a model. */
export function createAnswerChecker(parts: EvidenceFinderParts): AnswerChecker {
  return {
    async check(request, visible, signal): Promise<AnswerCheck> {
      refuseTooMuch(request);
      const statements = readStatements(request.answer).filter(
        ({ text, markers }) => markers.length > 0 || hasContent(text, parts.analyser),
      );
      const finder = await createEvidenceFinder(parts, request, { visible, signal });
      const stopAt = performance.now() + checkLimits.milliseconds;
      const checked: CheckedStatement[] = [];
      let uncheckedFrom: number | undefined;
      for (const statement of statements) {
        if (checked.length >= checkLimits.statements || performance.now() > stopAt) {
          uncheckedFrom = statement.start;
          break;
        }
        signal.throwIfAborted();
        checked.push(await checkStatement(statement, finder, parts.analyser));
      }
      return {
        statements: checked,
        ...(uncheckedFrom === undefined ? {} : { uncheckedFrom }),
        notes: notesOn(request, checked, uncheckedFrom),
      };
    },
  };
}

function refuseTooMuch({ answer, sources, documentIds }: AnswerCheckRequest): void {
  const refuse = (message: string) => {
    throw new ServiceError('invalid_request', message);
  };
  if (answer.trim() === '') refuse('The answer is empty; give the text to check.');
  if (answer.length > checkLimits.answer)
    refuse(`The answer has ${answer.length} characters; the maximum is ${checkLimits.answer}. Send it in parts.`);
  if (sources.length > checkLimits.sources)
    refuse(`${sources.length} sources were given; the maximum is ${checkLimits.sources}.`);
  if (documentIds.length > checkLimits.documents)
    refuse(`${documentIds.length} documents were given; the maximum is ${checkLimits.documents}.`);
  let total = 0;
  for (const { text = '' } of sources) {
    total += text.length;
    if (text.length > checkLimits.text)
      refuse(
        `A source of ${text.length} characters was given; the maximum is ${checkLimits.text}. Give its document instead.`,
      );
  }
  if (total > checkLimits.texts)
    refuse(`The sources have ${total} characters in total; the maximum is ${checkLimits.texts}.`);
}

interface Candidate extends ScoredVerdict {
  readonly passage: CandidatePassage;
}

async function checkStatement(
  statement: Statement,
  finder: EvidenceFinder,
  analyser: TextAnalyser,
): Promise<CheckedStatement> {
  const { text, start, end, markers } = statement;
  const check = createStatementCheck(text, analyser);
  const bestOf = (passages: readonly CandidatePassage[]): Candidate | undefined =>
    bestCandidate(passages.map((passage) => ({ passage, ...check(passage.comparable) })));

  const passagesOfMarkers = await Promise.all(
    markers.map(async (marker) => {
      const passages = await finder.passagesForMarker(marker, text);
      return { marker, isKnown: passages !== undefined, candidate: passages && bestOf(passages) };
    }),
  );
  const cited = bestCandidate(passagesOfMarkers.map(({ candidate }) => candidate));
  const others = async () => {
    const given = bestOf(await finder.passagesOfGivenSources(text));
    if (isSupport(given)) return { candidate: given, isElsewhere: finder.hasSources && markers.length > 0 };
    return {
      candidate: bestCandidate([bestOf(await finder.passagesElsewhere(text)), given]),
      isElsewhere: finder.isRestricted,
    };
  };
  const other = isSupport(cited) ? undefined : await others();
  const chosen = bestCandidate([cited, other?.candidate]);
  const verdict =
    isSupport(chosen) && chosen === other?.candidate && other?.isElsewhere ? 'elsewhere' : chosen?.verdict;
  const isNear = chosen !== undefined && (isSupport(chosen) || chosen.score >= MIN_SHOWN_SCORE);
  const evidence = isNear ? await finder.toEvidence(chosen.passage, text) : undefined;
  return {
    text,
    start,
    end,
    citations: passagesOfMarkers.map(({ marker, isKnown, candidate }) => ({
      marker,
      verdict: isKnown ? (candidate?.verdict ?? 'not_found') : 'unknown',
    })),
    verdict: verdict ?? 'not_found',
    score: chosen?.score ?? 0,
    isContradicted: chosen?.isContradicted === true,
    ...(evidence === undefined ? {} : { evidence }),
    missing: chosen?.verdict === 'verbatim' ? [] : missingWords(text, evidence?.quote.text ?? '', analyser),
  };
}

const isSupport = (candidate: Candidate | undefined): boolean => candidate !== undefined && supports(candidate.verdict);

/** Minimum score of a passage to be shown as the closest one. */
const MIN_SHOWN_SCORE = 0.3;

function bestCandidate(given: readonly (Candidate | undefined)[]): Candidate | undefined {
  const candidates = given.filter((candidate) => candidate !== undefined);
  // A stable sort, so that of equal candidates the first is the best.
  const [best] = candidates.toSorted((a, b) => compareVerdicts(a.verdict, b.verdict) || b.score - a.score);
  if (best === undefined || best.verdict === 'verbatim') return best;
  // A passage with fewer of the words does not outweigh one that says otherwise.
  const [against] = candidates.filter((each) => each.isContradicted).toSorted((a, b) => b.score - a.score);
  return against !== undefined && against.score > best.score ? against : best;
}

const NOTHING_CHECKABLE =
  'The text states nothing that can be checked: questions, headings, labels, code and single words are not statements.';

const MAX_MISSING_WORDS = 12;

/** Content words of a statement that a quote lacks, as written. */
function missingWords(text: string, quote: string, analyser: TextAnalyser): string[] {
  const known = new Set(analyser.analyse(quote));
  const content = new Set(analyser.analyseQuery(text));
  const missing = new Set<string>();
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+(?:[.,:’'-][\p{L}\p{M}\p{N}]+)*/gu)) {
    const terms = analyser.analyseQuery(word).filter((term) => content.has(term));
    if (terms.length > 0 && terms.every((term) => !known.has(term))) missing.add(word);
    if (missing.size >= MAX_MISSING_WORDS) break;
  }
  return [...missing];
}

function notesOn(
  { answer, sources, documentIds }: AnswerCheckRequest,
  checked: readonly CheckedStatement[],
  uncheckedFrom: number | undefined,
): string[] {
  const unknown = new Set(
    checked.flatMap(({ citations }) =>
      citations.filter(({ verdict }) => verdict === 'unknown').map(({ marker }) => marker),
    ),
  );
  const named = [...unknown].sort((one, two) => one - two).map((marker) => `[${marker}]`);
  const hasSources = sources.length > 0;
  return [
    ...(checked.length === 0 && uncheckedFrom === undefined ? [NOTHING_CHECKABLE] : []),
    ...(named.length > 0 && hasSources ? [`No source was given for ${named.join(', ')}.`] : []),
    ...(named.length > 0 && !hasSources && documentIds.length === 0
      ? ['No sources were given, so markers were ignored and each statement was searched for in all documents.']
      : []),
    ...(uncheckedFrom === undefined
      ? []
      : [
          `Checked up to character ${uncheckedFrom} of ${answer.length}, because of a limit; send the rest separately to check it.`,
        ]),
  ];
}
