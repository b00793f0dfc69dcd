import { ServiceError } from '../errors.ts';
import { parseModelName } from './model-name.ts';
import { openAiClient } from './openai/openai-provider.ts';
import { openAiTranscriber } from './openai/openai-transcriber.ts';
import { configuredProviders, findProvider, type ProviderSettings } from './provider-settings.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { Transcriber } from './transcriber.ts';

/**
 * The transcription model of that name, `<provider>/<model>`. Nothing is connected yet. Throws `unknown_model` or
 * `not_configured`.
 */
export function createTranscriber(
  name: string,
  settings: ProviderSettings & { readonly retry?: RetryPolicy | undefined },
): Transcriber {
  const parsed = parseModelName(name);
  if (parsed.provider === undefined || ['anthropic', 'builtin', 'local'].includes(parsed.provider)) {
    throw new ServiceError(
      'unknown_model',
      `"${name}" is not a transcription model. Expected <provider>/<model>, for example openai/whisper-1; any server with ` +
        '/v1/audio/transcriptions can be named in CITEWELL_PROVIDERS.',
    );
  }
  const provider = findProvider(configuredProviders(settings), parsed.provider, name);
  return openAiTranscriber({ provider, client: openAiClient(provider), model: parsed.name, retry: settings.retry });
}
