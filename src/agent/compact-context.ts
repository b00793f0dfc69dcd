import { estimateTokens } from '../documents/estimate-tokens.ts';
import { collectReply } from '../models/collect-reply.ts';
import type { Message } from '../models/message.ts';
import type { Model, Usage } from '../models/model.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import { withinTags } from '../shared/within-tags.ts';
import { estimateMessage, estimateTranscript } from './estimate-transcript.ts';

export interface Compaction {
  readonly transcript: readonly Message[];
  /** Summary of the removed messages; undefined when nothing was removed or no summary could be written. */
  readonly summary?: string;
  /** Number of messages after the system prompt that were replaced. */
  readonly replaced: number;
}

export interface CompactionSettings {
  /** Token count above which the oldest messages are replaced. */
  readonly maxTokens: number;
  /** Tokens of the newest messages that are kept verbatim. */
  readonly keptTokens: number;
  /** Writes the summary; without it, a note that messages were left out takes its place. */
  readonly summarizer: Model | undefined;
  spend(model: string, usage: Usage): void;
  readonly prompts: PromptTexts;
}

const SUMMARY_TOKENS = 2000;
// Share of the kept tokens that answers to sub-questions (research notes) may use.
const NOTES_SHARE = 0.5;

/** Stands for messages that were left out without a summary. */
export const OMITTED_NOTE = 'The earlier part of this conversation was left out because it did not fit.';

/** Message that carries a summary in a transcript. */
export const summaryNote = (summary: string): Message => ({
  role: 'user',
  text: `Summary of the conversation until here:\n${summary}`,
});

/**
 * Replaces the oldest messages of a long transcript by a summary. A tool call and its results stay together. The system
 * prompt, the newest messages and the answers to sub-questions are kept. When no summary can be written, the oldest
 * messages are dropped without one.
 */
export async function compactContext(
  transcript: readonly Message[],
  settings: CompactionSettings,
  signal: AbortSignal,
): Promise<Compaction> {
  if (estimateTranscript(transcript) <= settings.maxTokens) return { transcript, replaced: 0 };
  const head = transcript[0]?.role === 'system' ? 1 : 0;
  const cut = firstKeptIndex(transcript, head, settings.keptTokens);
  if (cut <= head) return { transcript, replaced: 0 };
  const old = transcript.slice(head, cut);
  const summary = await summarise(old, settings, signal);
  if (signal.aborted) return { transcript, replaced: 0 };
  const notes = notesIn(old, settings.keptTokens * NOTES_SHARE);
  return {
    transcript: [
      ...transcript.slice(0, head),
      summaryNote(`${summary ?? OMITTED_NOTE}${notes}`),
      ...transcript.slice(cut),
    ],
    replaced: cut - head,
    ...(summary === undefined ? {} : { summary }),
  };
}

/** Index of the first message to keep; never between a tool call and its results. */
function firstKeptIndex(transcript: readonly Message[], head: number, budget: number): number {
  let kept = 0;
  let cut = transcript.length;
  for (let index = transcript.length - 1; index >= head; index--) {
    const message = transcript[index];
    if (message === undefined) break;
    kept += estimateMessage(message);
    if (kept > budget && cut < transcript.length) break;
    if (message.role !== 'tool') cut = index;
  }
  return cut;
}

/** Undefined when there is no summarizer, when it fails or when the signal is aborted. */
async function summarise(
  messages: readonly Message[],
  { summarizer, maxTokens, spend, prompts }: CompactionSettings,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (summarizer === undefined) return undefined;
  const text = tailOf(messages.map((message) => `${message.role}: ${message.text}`).join('\n\n'), maxTokens);
  try {
    const reply = await collectReply(summarizer, {
      messages: [
        { role: 'system', text: prompts.fill('conversation_summary') },
        { role: 'user', text: `<conversation>\n${withinTags(text, 'conversation')}\n</conversation>` },
      ],
      tools: [],
      config: { maxTokens: SUMMARY_TOKENS },
      signal,
    });
    spend(reply.model, reply.usage);
    const summary = reply.text.trim();
    return summary === '' ? undefined : summary;
  } catch {
    // Not fatal: the dropped messages remain stored in the conversation.
    return undefined;
  }
}

/** The last part of a text, about this many tokens long. */
function tailOf(text: string, tokens: number): string {
  const share = tokens / estimateTokens(text);
  return share >= 1 ? text : text.slice(-Math.floor(text.length * share));
}

function notesIn(messages: readonly Message[], tokens: number): string {
  const notes = messages.flatMap((message) =>
    message.role === 'tool' && message.name === 'rag' && !message.isError ? [message.text] : [],
  );
  return notes.length === 0 ? '' : `\n\nAnswers to sub-questions so far:\n\n${tailOf(notes.join('\n\n'), tokens)}`;
}
