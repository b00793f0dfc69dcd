import { estimateTokens } from '../documents/estimate-tokens.ts';
import type { Message } from '../models/message.ts';
import type { AgentRun } from './agent-run.ts';
import { declaredTools } from './declared-tools.ts';

/** Estimated overhead in tokens that providers add per message and per tool. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_TOOL = 8;

/** Estimated input tokens of the run's next model call: transcript plus tool definitions. */
export function estimateInput(run: Pick<AgentRun, 'transcript' | 'tools' | 'clientTools'>): number {
  const toolTokens = declaredTools(run).map(({ description, inputSchema }) =>
    estimateTokens(description + JSON.stringify(inputSchema)),
  );
  return toolTokens.reduce((total, tokens) => total + TOKENS_PER_TOOL + tokens, estimateTranscript(run.transcript));
}

/** Estimated input tokens of a transcript. */
export const estimateTranscript = (transcript: readonly Message[]): number =>
  transcript.reduce((total, message) => total + estimateMessage(message), 0);

export function estimateMessage(message: Message): number {
  const calls = message.role === 'assistant' && message.toolCalls ? JSON.stringify(message.toolCalls) : '';
  return TOKENS_PER_MESSAGE + estimateTokens(message.text) + estimateTokens(calls);
}
