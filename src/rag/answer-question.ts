import type { TextAnalyser } from '../citations/text-analyser.ts';
import { type Audience, messageFor, ServiceError } from '../errors.ts';
import { isExtractive } from '../models/extractive/extractive-model.ts';
import type { ModelRegistry } from '../models/model.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import type { Retriever, SearchOutcome } from '../retrieval/retriever.ts';
import { type StandaloneQueries, withEarlierTerms } from '../retrieval/standalone-query.ts';
import { novelHits } from '../toolbox/novel-hits.ts';
import { informativeHits } from '../toolbox/render-graph.ts';
import type { WebSearch, WebSearchOutcome } from '../web/web-search.ts';
import { answerWithoutPassages } from './answer-without-passages.ts';
import { extractiveAnswer } from './extractive-answer.ts';
import { generateAnswer } from './generate-answer.ts';
import type { Answerer, RagEvent, RagRequest } from './rag-event.ts';

export interface AnswererParts {
  readonly retriever: Retriever;
  readonly models: ModelRegistry;
  readonly analyser: TextAnalyser;
  /** Rewrites a follow-up as a standalone question; without it, terms of the previous question are added. */
  readonly standaloneQueries?: StandaloneQueries | undefined;
  /** Used when a request asks for web results. */
  readonly webSearch?: WebSearch | undefined;
  /** Context window of the models in tokens; unlimited by default. */
  readonly window?: number;
  /** Prompts sent to models; the built-in ones by default. */
  readonly prompts?: PromptTexts;
}

/** Maximum tokens of the passages given to a model, and their maximum share of its context window. */
const MAX_PASSAGE_TOKENS = 16_000;
const PASSAGE_SHARE = 0.5;

/** One search, then one generation. */
export function createAnswerer(parts: AnswererParts): Answerer {
  const { retriever, models, analyser, webSearch, window = Number.POSITIVE_INFINITY, prompts } = parts;
  const contextTokens = Math.min(MAX_PASSAGE_TOKENS, Math.floor(window * PASSAGE_SHARE));
  return {
    async *answer(request: RagRequest, signal: AbortSignal): AsyncGenerator<RagEvent, void> {
      refuseWhenAborted(signal);
      const model = models.resolve(request.generation.model, 'quality');
      const standalone = await toStandalone(request, parts.standaloneQueries, signal);
      const [searched, { web, note }] = await Promise.all([
        retriever.search(standalone.query, request.search, signal),
        request.includeWebSearch === true
          ? searchWeb({ text: standalone.query, audience: request.search.audience }, webSearch, signal)
          : notSearched,
      ]);
      refuseWhenAborted(signal);
      const outcome = withQuery(searched, {
        ...standalone,
        notes: note === undefined ? standalone.notes : [...standalone.notes, note],
      });
      const found = { outcome, ...(web !== undefined && { web }) };
      yield { type: 'search_results', ...found };
      refuseWhenAborted(signal);

      if (isExtractive(model.name)) {
        yield* extractiveAnswer({ query: standalone.query, ...found, model: model.name, analyser });
      } else if (isEmpty(found)) {
        yield* answerWithoutPassages(
          { request: withStandaloneQuery(request, standalone), ...found, model, prompts },
          signal,
        );
      } else {
        const asked = withStandaloneQuery(request, standalone);
        yield* generateAnswer({ request: asked, ...found, model, analyser, contextTokens, prompts }, signal);
      }
    },
  };
}

interface StandaloneQuestion {
  readonly query: string;
  /** Whether the query differs from the question as asked. */
  readonly isRewritten: boolean;
  readonly notes: readonly string[];
}

async function toStandalone(
  { query, earlier = [], search }: RagRequest,
  queries: StandaloneQueries | undefined,
  signal: AbortSignal,
): Promise<StandaloneQuestion> {
  if (earlier.every(({ role }) => role === 'system') || query.trim() === '')
    return { query, isRewritten: false, notes: [] };
  const notes: string[] = [];
  let written: string | undefined;
  try {
    written = await queries?.write({ query, earlier }, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof ServiceError)) throw error;
    notes.push(
      `The question could not be rewritten as a standalone question (${messageFor(error, search.audience)}); it was searched with terms of the previous one.`,
    );
  }
  const rewritten = written ?? withEarlierTerms({ query, earlier });
  return { query: rewritten, isRewritten: rewritten !== query, notes };
}

const withQuery = (outcome: SearchOutcome, { query, isRewritten, notes }: StandaloneQuestion): SearchOutcome =>
  isRewritten || notes.length > 0
    ? {
        ...outcome,
        explanation: {
          ...outcome.explanation,
          ...(isRewritten && { searched: query }),
          notes: [...outcome.explanation.notes, ...notes],
        },
      }
    : outcome;

// Keep the question as asked, since it may contain instructions; add the standalone query that was searched.
const withStandaloneQuery = (request: RagRequest, { query, isRewritten }: StandaloneQuestion): RagRequest =>
  isRewritten
    ? { ...request, query: `${request.query}\n(In a conversation; what was searched for: ${query})` }
    : request;

const WEB_RESULTS = 8;
const WEB_TIMEOUT_MS = 10_000;

interface WebEvidence {
  readonly web?: WebSearchOutcome;
  /** Why there are no results of the web search. */
  readonly note?: string;
}

const notSearched: WebEvidence = {};

interface WebQuestion {
  readonly text: string;
  readonly audience: Audience | undefined;
}

/** docs/contract.md 5.2: a web search that is impossible or fails adds only a note and does not fail the request. */
async function searchWeb(
  { text, audience }: WebQuestion,
  webSearch: WebSearch | undefined,
  signal: AbortSignal,
): Promise<WebEvidence> {
  if (webSearch === undefined)
    return {
      note: 'The web was not searched: no search service is configured (SEARXNG_URL is one that needs no key).',
    };
  const query = { text, limit: WEB_RESULTS, includeDomains: [], excludeDomains: [] };
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(WEB_TIMEOUT_MS)]);
  try {
    return { web: await webSearch.search(query, inTime) };
  } catch (error) {
    const reason =
      error instanceof ServiceError ? messageFor(error, audience) : `it took longer than ${WEB_TIMEOUT_MS / 1_000} s`;
    return { note: `The web search failed and was left out: ${reason}` };
  }
}

const isEmpty = ({ outcome, web }: Found): boolean =>
  outcome.chunks.length === 0 &&
  (web?.results.length ?? 0) === 0 &&
  novelHits(informativeHits(outcome.graph ?? []), []).length === 0;

interface Found {
  readonly outcome: SearchOutcome;
  readonly web?: WebSearchOutcome;
}

function refuseWhenAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ServiceError('cancelled', 'The request was cancelled.', { cause: signal.reason });
}
