import type { TextAnalyser } from '../citations/text-analyser.ts';
import { ServiceError } from '../errors.ts';
import { isExtractive } from '../models/extractive/extractive-model.ts';
import type { ModelRegistry } from '../models/model.ts';
import type { Retriever, SearchOutcome } from '../retrieval/retriever.ts';
import { generateAnswer } from './generate-answer.ts';
import { quoteAnswer } from './quote-answer.ts';
import type { Answerer, RagEvent, RagRequest } from './rag-event.ts';

export interface AnswererParts {
  readonly retriever: Retriever;
  readonly models: ModelRegistry;
  readonly analyser: TextAnalyser;
  /** Tokens of found passages given to a model at most. */
  readonly contextTokens?: number;
}

const DEFAULT_CONTEXT_TOKENS = 16_000;
const NOTHING_FOUND = 'Nothing was found in the documents that matches this question, so it is not answered.';

/** One search, one generation. */
export function createAnswerer({ retriever, models, analyser, contextTokens }: AnswererParts): Answerer {
  return {
    async *answer(request: RagRequest, signal: AbortSignal): AsyncGenerator<RagEvent, void> {
      refuseWhenAborted(signal);
      const model = models.resolve(request.generation.model, 'quality');
      const outcome = await retriever.search(request.query, request.search, signal);
      refuseWhenAborted(signal);
      yield { type: 'search_results', outcome };
      refuseWhenAborted(signal);

      if (isExtractive(model.name)) {
        yield* quoteAnswer({ query: request.query, outcome, model: model.name, analyser });
      } else if (outcome.chunks.length === 0) {
        // A model asked with nothing to go by answers from memory, and nobody could tell.
        yield* nothingFound(outcome, model.name);
      } else {
        const limit = contextTokens ?? DEFAULT_CONTEXT_TOKENS;
        yield* generateAnswer({ request, outcome, model, analyser, contextTokens: limit }, signal);
      }
    },
  };
}

function* nothingFound(outcome: SearchOutcome, model: string): Generator<RagEvent, void> {
  yield { type: 'message', text: NOTHING_FOUND };
  yield {
    type: 'final_answer',
    answer: {
      text: NOTHING_FOUND,
      citations: [],
      search: outcome,
      model,
      mode: 'generative',
      stopReason: 'end',
      usage: { input: 0, cachedInput: 0, output: 0, reasoning: 0 },
      removedMarkers: 0,
    },
  };
}

function refuseWhenAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ServiceError('cancelled', 'The request was cancelled.', { cause: signal.reason });
}
