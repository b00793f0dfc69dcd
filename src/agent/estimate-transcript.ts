import { estimateTokens } from '../documents/estimate-tokens.ts';
import type { Message } from '../models/message.ts';
import type { AgentRun } from './agent-run.ts';

/** Tokens that providers add around each message, and around each tool. */
const PER_MESSAGE = 4;
const PER_TOOL = 8;

/** About how many tokens the run's next call reads: its transcript, and what its model is told of its tools. */
export function estimateInput({ transcript, tools }: Pick<AgentRun, 'transcript' | 'tools'>): number {
  const publicMessage = tools.map(({ description, inputSchema }) =>
    estimateTokens(description + JSON.stringify(inputSchema)),
  );
  return publicMessage.reduce((total, tokens) => total + PER_TOOL + tokens, estimateTranscript(transcript));
}

/** About how many tokens this transcript takes as input. */
export const estimateTranscript = (transcript: readonly Message[]): number =>
  transcript.reduce((total, message) => total + estimateMessage(message), 0);

export function estimateMessage(message: Message): number {
  const calls = message.role === 'assistant' && message.toolCalls ? JSON.stringify(message.toolCalls) : '';
  return PER_MESSAGE + estimateTokens(message.text) + estimateTokens(calls);
}
