import type { GenerationConfig } from '../../models/generation-config.ts';
import type { Model, StopReason } from '../../models/model.ts';

/** A model's complete reply to one request. Throws the model's errors. */
export async function writeText(
  model: Model,
  prompt: string,
  config: GenerationConfig,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly reason: StopReason }> {
  let text = '';
  let reason: StopReason = 'end';
  const messages = [{ role: 'user', text: prompt }] as const;
  for await (const event of model.stream({ messages, tools: [], config, signal })) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'stop') reason = event.reason;
  }
  return { text: text.trim(), reason };
}

/** Escapes closing tags with these names, so that text between such tags cannot close them. */
export const withinTags = (text: string, ...names: readonly string[]): string =>
  text.replace(new RegExp(`<(?=/?(?:${names.join('|')})\\b)`, 'gi'), '‹');
