import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { withoutFinalSlashes } from '../../shared/text.ts';
import type { RankedText, Reranker, RerankRequest } from '../rerank.ts';

/** API dialect of the rerank service. */
export type RerankDialect = 'cohere' | 'jina' | 'tei';

export interface HttpRerankerSettings {
  readonly dialect: RerankDialect;
  /** Without the dialect; TEI serves a single model and needs no name. */
  readonly model: string;
  /** Base URL without `/rerank`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly milliseconds?: number;
}

const DEFAULT_DEPTH = 50;
const DEFAULT_TIMEOUT_MS = 5_000;
/** Maximum number of chunks per request. TEI's default limit is 32. */
const PER_REQUEST: Readonly<Record<RerankDialect, number>> = { cohere: 1_000, jina: 1_000, tei: 32 };
const MAX_ANSWER_LENGTH = 2_000_000;

const index = z.int().min(0);
const score = z.number();
const results = z.object({ results: z.array(z.object({ index, relevance_score: score })) });
const list = z.array(z.object({ index, score }));

/** A rerank service: Cohere, Jina, or a self-hosted Text Embeddings Inference (TEI). */
export function httpReranker(settings: HttpRerankerSettings): Reranker {
  const { dialect, model, milliseconds = DEFAULT_TIMEOUT_MS } = settings;
  return {
    name: `${dialect}/${model}`,
    depth: DEFAULT_DEPTH,
    timeoutMs: milliseconds,
    async rank({ query, texts }, signal) {
      const size = PER_REQUEST[dialect];
      const starts = Array.from({ length: Math.ceil(texts.length / size) }, (_, part) => part * size);
      const parts = await Promise.all(
        starts.map(async (start) => {
          const part = texts.slice(start, start + size);
          const ranked = readRanking(dialect, await ask(settings, { query, texts: part }, signal), part.length);
          return ranked.map((each) => ({ ...each, index: each.index + start }));
        }),
      );
      return parts.flat();
    },
  };
}

function toBody({ dialect, model }: HttpRerankerSettings, { query, texts }: RerankRequest): object {
  switch (dialect) {
    case 'cohere':
      return { model, query, documents: texts, top_n: texts.length };
    case 'jina':
      return { model, query, documents: texts, top_n: texts.length, return_documents: false };
    case 'tei':
      return { query, texts, truncate: true };
  }
}

function readRanking(dialect: RerankDialect, answer: unknown, count: number): RankedText[] {
  const ranked =
    dialect === 'tei'
      ? list.safeParse(answer).data
      : results.safeParse(answer).data?.results.map((each) => ({ index: each.index, score: each.relevance_score }));
  if (ranked === undefined || ranked.some((each) => each.index >= count)) {
    throw new ServiceError('provider_failed', 'its answer is not a ranking of what it was given');
  }
  return ranked;
}

async function ask(settings: HttpRerankerSettings, request: RerankRequest, signal: AbortSignal): Promise<unknown> {
  const { baseUrl, apiKey } = settings;
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${withoutFinalSlashes(baseUrl)}/rerank`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(toBody(settings, request)),
      // A redirect must not receive the API key.
      redirect: 'error',
      signal,
    });
    text = await response.text();
  } catch (error) {
    if (signal.aborted) throw new ServiceError('cancelled', 'the request was ended', { cause: error });
    throw new ServiceError('provider_failed', 'it cannot be reached', { cause: error });
  }
  if (!response.ok) throw refused(response.status, text);
  try {
    if (text.length > MAX_ANSWER_LENGTH) throw new RangeError('too long');
    return JSON.parse(text);
  } catch (error) {
    throw new ServiceError('provider_failed', 'its answer is not JSON', { cause: error });
  }
}

// The service's own message is logged and not shown to the user.
function refused(status: number, text: string): ServiceError {
  const options = { cause: new Error(text.slice(0, 500)) };
  if (status === 429) return new ServiceError('rate_limited', 'it has had too many requests', options);
  if (status === 401 || status === 403) return new ServiceError('provider_failed', 'it refuses the API key', options);
  return new ServiceError('provider_failed', `it answered with status ${status}`, options);
}
