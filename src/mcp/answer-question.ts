import { type AnswerCheck, checkLimits } from '../citations/answer-check.ts';
import { sourceText } from '../citations/check-citation.ts';
import type { Source } from '../citations/citation.ts';
import { compareVerdicts, supports, type Verdict } from '../citations/verdict.ts';
import { collectAnswer } from '../rag/collect-answer.ts';
import type { SearchSettings } from '../retrieval/search-settings.ts';
import type { SubAnswer } from '../toolbox/tool-context.ts';
import type { McpServices } from './mcp-services.ts';

interface Question {
  readonly question: string;
  readonly settings: SearchSettings;
}

/** Answers with one search and one generation, to finish within the time that clients wait. */
export async function answerQuestion(
  { answerer, checker }: Pick<McpServices, 'answerer' | 'checker'>,
  { question, settings }: Question,
  signal: AbortSignal,
): Promise<SubAnswer> {
  const request = { query: question, search: settings, generation: {}, includeTitle: true };
  const { text, citations, model, usage, mode, support } = await collectAnswer(answerer.answer(request, signal));
  const sources = new Map<number, Source>(citations.map(({ number, source }) => [number, source]));
  // Quotations are verbatim; only generated text needs a check.
  const check = mode === 'extractive' ? undefined : await checkAnswer();
  const unsupported = check?.statements.filter(({ verdict }) => !supports(verdict)) ?? [];
  return {
    text,
    sources,
    evidence: new Map(
      citations.map(({ number, quotes }) => {
        const verdict = check === undefined ? 'verbatim' : verdictOf(number, check);
        return [number, { quotes, ...(verdict !== undefined && { verdict }) }];
      }),
    ),
    unsupported: unsupported.map((statement) => statement.text),
    ...(support !== undefined && { support }),
    model,
    usage,
    isUntrusted: false,
  };

  async function checkAnswer(): Promise<AnswerCheck> {
    const answer = checkedPart(text);
    const texts = [...sources].map(([marker, source]) => ({
      marker,
      text: sourceText(source).slice(0, checkLimits.text),
    }));
    const named = texts.filter((source) => source.text.trim() !== '').slice(0, checkLimits.sources);
    const checkRequest = { answer, sources: named, documentIds: [], searchesElsewhere: false };
    const checked = await checker.check(checkRequest, settings.filter, signal);
    return answer.length < text.length ? { uncheckedFrom: answer.length, ...checked } : checked;
  }
}

/** The paragraphs of a longer text that can be checked. */
function checkedPart(text: string): string {
  if (text.length <= checkLimits.answer) return text;
  const end = text.lastIndexOf('\n\n', checkLimits.answer);
  return text.slice(0, end > 0 ? end : checkLimits.answer);
}

/** The weakest verdict on a marker; undefined if the check ended before its statements. */
function verdictOf(marker: number, { statements, uncheckedFrom }: AnswerCheck): Verdict | undefined {
  const verdicts = statements
    .flatMap(({ citations }) => citations.filter((each) => each.marker === marker))
    .map(({ verdict }) => (verdict === 'unknown' ? 'not_found' : verdict));
  if (verdicts.length === 0) return uncheckedFrom === undefined ? 'not_found' : undefined;
  return verdicts.sort(compareVerdicts).at(-1);
}
