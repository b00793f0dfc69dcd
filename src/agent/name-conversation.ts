import { collectReply } from '../models/collect-reply.ts';
import type { Model } from '../models/model.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import { startDeadline } from '../shared/abort.ts';
import { oneLine, wholeCharacterEnd } from '../shared/text.ts';

/** A caller without streaming waits for the name as well as for the answer. */
const TIME_LIMIT_MS = 10_000;
const MAX_NAME_LENGTH = 80;
const FALLBACK_WORDS = 6;

export interface NamingParts {
  /** Model that writes the name; without it the beginning of the question is used. */
  readonly namer: Model | undefined;
  readonly prompts: PromptTexts;
  readonly signal: AbortSignal;
}

/** A short name for a conversation after its first turn (docs/contract.md 5.3); by default the question's beginning. */
export async function nameConversation(
  question: string,
  answer: string,
  { namer, prompts, signal }: NamingParts,
): Promise<string> {
  const written = namer === undefined ? '' : await writeName(question, answer, { namer, prompts, signal });
  return written === '' ? fallbackName(question) : written;
}

async function writeName(
  question: string,
  answer: string,
  { namer, prompts, signal }: NamingParts & { readonly namer: Model },
): Promise<string> {
  using deadline = startDeadline(TIME_LIMIT_MS, signal);
  try {
    const messages = [
      { role: 'system', text: prompts.fill('conversation_name') },
      { role: 'user', text: `Question: ${question.slice(0, 2000)}\n\nAnswer: ${answer.slice(0, 2000)}` },
    ] as const;
    const request = { messages, tools: [], config: { maxTokens: 40 }, signal: deadline.signal };
    return tidy((await collectReply(namer, request)).text);
  } catch {
    // Naming is optional: its failure must not fail the turn.
    return '';
  }
}

/** Without the quotation marks and markup around it. It is cut before its end is trimmed, which takes quadratic time. */
function tidy(text: string): string {
  const line = oneLine(text).replace(/^[\s"'“”*#]+/, '');
  return line.slice(0, wholeCharacterEnd(line, MAX_NAME_LENGTH)).replace(/[\s"'“”*.]+$/, '');
}

/** The beginning of the question. */
export function fallbackName(question: string): string {
  const words = question.trim().split(/\s+/);
  return tidy(words.slice(0, FALLBACK_WORDS).join(' ')) || 'Conversation';
}
