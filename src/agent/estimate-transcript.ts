import { estimateTokens } from '../documents/estimate-tokens.ts';
import type { Message } from '../models/message.ts';

/** Tokens that providers add around each message. */
const PER_MESSAGE = 4;

/** About how many tokens this transcript takes as input. */
export const estimateTranscript = (transcript: readonly Message[]): number =>
  transcript.reduce((total, message) => total + estimateMessage(message), 0);

export function estimateMessage(message: Message): number {
  const calls = message.role === 'assistant' ? JSON.stringify(message.toolCalls ?? []) : '';
  return PER_MESSAGE + estimateTokens(message.text) + estimateTokens(calls);
}
