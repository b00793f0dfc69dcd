import type OpenAI from 'openai';
import type { CreateEmbeddingResponse } from 'openai/resources/embeddings';
import type { OpenAiProvider } from '../models/openai/openai-provider.ts';
import { ProviderError, toProviderError } from '../models/provider-error.ts';
import { createBackoff, defaultRetryPolicy, type RetryPolicy } from '../models/retry-policy.ts';
import { cutToTokens, firstHalf, maxTokens } from './cut-text.ts';
import type { EmbeddingModel, EmbedOptions } from './embedding-model.ts';
import { modelCard } from './model-card.ts';
import { unitVector } from './unit-vector.ts';

export interface OpenAiEmbeddingParts {
  readonly provider: OpenAiProvider;
  readonly client: () => Promise<OpenAI>;
  /** Model name without the provider's prefix. */
  readonly model: string;
  /** Requests vectors of this length, which only some models support; the name becomes `<model>@<dimensions>`. */
  readonly dimensions?: number | undefined;
  readonly retry?: RetryPolicy | undefined;
  readonly timeoutMs?: number | undefined;
}

interface Call extends OpenAiEmbeddingParts, Pick<EmbedOptions, 'onTokens'> {}

const DEFAULT_TIMEOUT_MS = 120_000;

/** OpenAI's limits, which other servers share or exceed: tokens per text, texts per request, tokens per request. */
const MAX_TEXT_TOKENS = 8191;
const MAX_TEXTS = 512;
const MAX_REQUEST_TOKENS = 200_000;

/** Dimensions of known models, for which the provider need not be queried. */
const KNOWN_DIMENSIONS: Readonly<Record<string, number>> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
};

/** Must be changed with anything in this file that affects vectors, such as prefixes or truncation. */
const VERSION = '1';

/** An embedding model of OpenAI, or of a server compatible with its Embeddings API. */
export function openAiEmbeddings(parts: OpenAiEmbeddingParts): EmbeddingModel {
  const { provider, model, dimensions } = parts;
  const name = `${provider.name}/${model}${dimensions === undefined ? '' : `@${dimensions}`}`;
  const { prefixes } = modelCard(model);
  let length = dimensions ?? (provider.isOpenAi ? KNOWN_DIMENSIONS[model] : undefined);

  const check = (vectors: Float32Array[]): Float32Array[] => {
    for (const vector of vectors) {
      length ??= vector.length;
      if (vector.length === length) continue;
      throw new ProviderError(
        'provider_failed',
        `${provider.label} returned a vector of ${vector.length} numbers from "${name}", which has ${length}. ` +
          'The model behind this name seems to have changed; select it again and run `citewell reindex`.',
        'none',
      );
    }
    return vectors;
  };

  const embed: EmbeddingModel['embed'] = async (
    texts,
    kind,
    signal = new AbortController().signal,
    { onTokens } = {},
  ) => {
    const call: Call = { ...parts, ...(onTokens && { onTokens }) };
    const vectors: Float32Array[] = [];
    for (const batch of batches(texts.map((text) => prepare(text, prefixes[kind])))) {
      vectors.push(...check(await embedFitting(batch, call, signal)));
    }
    return vectors;
  };

  return {
    name,
    isLexical: false,
    preload: async () => void (await parts.client()),
    async space(signal) {
      if (length === undefined) await embed(['dimension'], 'passage', signal);
      return { embedder: name, version: VERSION, dimensions: length ?? 0 };
    },
    embed,
  };
}

// The API rejects an empty text, so a space is sent.
const prepare = (text: string, prefix: string): string => cutToTokens(`${prefix}${text}`, MAX_TEXT_TOKENS) || ' ';

function* batches(texts: readonly string[]): Generator<readonly string[], void> {
  let batch: string[] = [];
  let tokens = 0;
  for (const text of texts) {
    const size = maxTokens(text);
    if (batch.length === MAX_TEXTS || (batch.length > 0 && tokens + size > MAX_REQUEST_TOKENS)) {
      yield batch;
      batch = [];
      tokens = 0;
    }
    batch.push(text);
    tokens += size;
  }
  if (batch.length > 0) yield batch;
}

/** If a batch is rejected for its length, finds the offending text and halves it until it is accepted. */
async function embedFitting(texts: readonly string[], parts: Call, signal: AbortSignal): Promise<Float32Array[]> {
  try {
    return await embedRetrying(texts, parts, signal);
  } catch (error) {
    if (!(error instanceof ProviderError) || !error.isTooLong) throw error;
    const [only] = texts;
    if (texts.length === 1 && only !== undefined) {
      if (only.length < 2) throw error;
      return embedFitting([firstHalf(only)], parts, signal);
    }
    const middle = Math.ceil(texts.length / 2);
    const first = await embedFitting(texts.slice(0, middle), parts, signal);
    return [...first, ...(await embedFitting(texts.slice(middle), parts, signal))];
  }
}

async function embedRetrying(texts: readonly string[], parts: Call, signal: AbortSignal): Promise<Float32Array[]> {
  const backoff = createBackoff(parts.retry ?? defaultRetryPolicy);
  for (;;) {
    try {
      return await embedOnce(texts, parts, signal);
    } catch (error) {
      if (!(await backoff.wait(error, signal))) throw error;
    }
  }
}

async function embedOnce(
  texts: readonly string[],
  { provider, client, model, dimensions, timeoutMs = DEFAULT_TIMEOUT_MS, onTokens }: Call,
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await (await client()).embeddings.create(
      { model, input: [...texts], encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) },
      { signal: AbortSignal.any([signal, timeout]) },
    );
    // Compatible servers may omit `usage`.
    const { usage }: Partial<CreateEmbeddingResponse> = response;
    if (usage?.prompt_tokens) onTokens?.(usage.prompt_tokens);
    return readVectors(response, texts.length, provider.label);
  } catch (error) {
    if (timeout.aborted && !signal.aborted) {
      const seconds = Math.round(timeoutMs / 1000);
      throw new ProviderError('timeout', `${provider.label} sent no vectors within ${seconds} seconds.`, 'retry', {
        cause: error,
      });
    }
    throw toProviderError(error, { provider, model, signal });
  }
}

/** The vectors in request order; the API may return them in any order, identified by `index`. */
function readVectors(response: Partial<CreateEmbeddingResponse>, count: number, label: string): Float32Array[] {
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [place, item] of (response.data ?? []).entries()) {
    vectors[item.index ?? place] = unitVector(item.embedding);
  }
  const whole = vectors.filter((vector) => vector !== undefined);
  if (whole.length === count && vectors.length === count) return whole;
  throw new ProviderError(
    'provider_failed',
    `${label} returned ${whole.length} usable vectors for ${count} texts.`,
    'other_provider',
  );
}
