import type OpenAI from 'openai';
import { ServiceError } from '../../errors.ts';
import { ProviderError, toProviderError } from '../provider-error.ts';
import { createBackoff, defaultRetryPolicy, type RetryPolicy } from '../retry-policy.ts';
import type { Recording, Transcriber, Transcript } from '../transcriber.ts';
import type { OpenAiProvider } from './openai-provider.ts';

export interface OpenAiTranscriberParts {
  readonly provider: OpenAiProvider;
  readonly client: () => Promise<OpenAI>;
  /** Without the provider's prefix. */
  readonly model: string;
  readonly retry?: RetryPolicy | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Transcription without a GPU can take longer than the recording lasts. */
const DEFAULT_TIMEOUT_MS = 3_600_000;

type Format = 'verbose_json' | 'diarized_json' | 'json';

/** A transcription model of OpenAI, or of a server compatible with its Audio API. */
export function openAiTranscriber(parts: OpenAiTranscriberParts): Transcriber {
  const { provider, model, retry = defaultRetryPolicy } = parts;
  // The response format that this model supports, as far as earlier requests have shown.
  let format: Format = model.includes('diarize') ? 'diarized_json' : 'verbose_json';
  return {
    name: `${provider.name}/${model}`,
    async transcribe(recording, signal) {
      const backoff = createBackoff(retry);
      for (;;) {
        try {
          return await transcribeOnce(recording, format, parts, signal);
        } catch (error) {
          // Only some models report timestamps; the others reject the formats that contain them.
          if (format !== 'json' && isRefusedFormat(error)) format = 'json';
          else if (!(await backoff.wait(error, signal))) throw error;
        }
      }
    },
  };
}

async function transcribeOnce(
  { bytes, fileName, mediaType }: Recording,
  format: Format,
  { provider, client, model, timeoutMs = DEFAULT_TIMEOUT_MS }: OpenAiTranscriberParts,
  signal: AbortSignal,
): Promise<Transcript> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const file = new File([new Uint8Array(bytes)], fileName, { type: mediaType });
  try {
    const reply = await (await client()).audio.transcriptions.create(
      {
        file,
        model,
        response_format: format,
        ...(format === 'verbose_json' && { timestamp_granularities: ['segment'] as const }),
        ...(format === 'diarized_json' && { chunking_strategy: 'auto' as const }),
      },
      { signal: AbortSignal.any([signal, timeout]) },
    );
    return readTranscript(reply, provider.label);
  } catch (error) {
    if (timeout.aborted && !signal.aborted) {
      const minutes = Math.round(timeoutMs / 60_000);
      const words = `${provider.label} sent no transcript of ${fileName} within ${minutes} minutes. Split the recording.`;
      throw new ProviderError('timeout', words, 'none', { cause: error });
    }
    if (statusOf(error) === 413) {
      const words = `${fileName} is larger than ${provider.label} accepts. Split the recording, or compress it.`;
      throw new ServiceError('too_large', words, { cause: error });
    }
    throw toProviderError(error, { provider, model, signal });
  }
}

function readTranscript(reply: unknown, label: string): Transcript {
  const { text, segments } = (typeof reply === 'object' && reply !== null ? reply : {}) as Partial<
    Record<'text' | 'segments', unknown>
  >;
  if (typeof text !== 'string') {
    throw new ProviderError('provider_failed', `${label} sent no transcript.`, 'other_provider');
  }
  return { text, segments: Array.isArray(segments) ? segments.flatMap(readSegment) : [] };
}

function readSegment(given: Readonly<Record<string, unknown>>): Transcript['segments'] {
  const { start, end, text, speaker } = given;
  if (typeof start !== 'number' || typeof text !== 'string') return [];
  const by = typeof speaker === 'string' && speaker !== '' ? { speaker } : {};
  return [{ start, end: typeof end === 'number' ? end : start, text: text.trim(), ...by }];
}

const isRefusedFormat = (error: unknown): boolean =>
  error instanceof ServiceError &&
  statusOf(error.cause) === 400 &&
  /response_format|timestamp_granularities|chunking_strategy/.test(String((error.cause as Error).message));

const statusOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
