import { estimateTokens } from '../documents/estimate-tokens.ts';
import type { Message } from '../models/message.ts';
import type { Model, Usage } from '../models/model.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import { estimateMessage, estimateTranscript } from './estimate-transcript.ts';

export interface Compaction {
  readonly transcript: readonly Message[];
  /** What a model wrote for the oldest messages; undefined when nothing had to give way, or no model wrote anything. */
  readonly summary?: string;
  /** How many messages after the system prompt gave way. */
  readonly replaced: number;
}

export interface CompactionSettings {
  /** Tokens beyond which the oldest messages give way. */
  readonly full: number;
  /** Tokens of the newest messages that stay word for word. */
  readonly kept: number;
  /** Writes the summary; without one, the oldest messages give way to a note that says so. */
  readonly summarizer: Model | undefined;
  spend(model: string, usage: Usage): void;
  /** What the summarizer is asked with. */
  readonly prompts: PromptTexts;
}

const SUMMARY_TOKENS = 2000;
// Of what is kept, how much the notes of a research may take.
const NOTES_SHARE = 0.5;

/** How a summary stands in a transcript. */
export const summaryNote = (summary: string): Message => ({
  role: 'user',
  text: `Summary of the conversation until here:\n${summary}`,
});

/**
 * Puts a summary in the place of the oldest messages when a transcript has grown too long. A tool call and its results
 * stay together; the system prompt and the newest messages stay as they are, and so do answers to sub-questions, which
 * are a research's notes. When no summary can be written, the messages give way all the same.
 */
export async function compactContext(
  transcript: readonly Message[],
  settings: CompactionSettings,
  signal: AbortSignal,
): Promise<Compaction> {
  if (estimateTranscript(transcript) <= settings.full) return { transcript, replaced: 0 };
  const head = transcript[0]?.role === 'system' ? 1 : 0;
  const cut = cutAt(transcript, head, settings.kept);
  if (cut <= head) return { transcript, replaced: 0 };
  const old = transcript.slice(head, cut);
  const summary = await summarise(old, settings, signal);
  if (signal.aborted) return { transcript, replaced: 0 };
  const words = summary ?? 'The earlier part of this conversation was left out because it did not fit.';
  const notes = notesIn(old, settings.kept * NOTES_SHARE);
  return {
    transcript: [...transcript.slice(0, head), summaryNote(`${words}${notes}`), ...transcript.slice(cut)],
    replaced: cut - head,
    ...(summary === undefined ? {} : { summary }),
  };
}

/** Index of the first message to keep: never between a call and its result. */
function cutAt(transcript: readonly Message[], head: number, budget: number): number {
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

/** Undefined when there is no summarizer, when it fails, or when the signal comes first. */
async function summarise(
  messages: readonly Message[],
  { summarizer, full, spend, prompts }: CompactionSettings,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (summarizer === undefined) return undefined;
  const text = latest(messages.map((message) => `${message.role}: ${message.text}`).join('\n\n'), full);
  let summary = '';
  try {
    const events = summarizer.stream({
      messages: [
        { role: 'system', text: prompts.fill('conversation_summary') },
        { role: 'user', text: `<conversation>\n${text}\n</conversation>` },
      ],
      tools: [],
      config: { maxTokens: SUMMARY_TOKENS },
      signal,
    });
    for await (const event of events) {
      if (event.type === 'text') summary += event.text;
      if (event.type === 'stop') spend(event.model, event.usage);
    }
  } catch {
    // The run can go on without: what gives way is still in the conversation.
    return undefined;
  }
  return summary.trim() === '' ? undefined : summary.trim();
}

/** The end of a text, of about so many tokens. */
function latest(text: string, tokens: number): string {
  const share = tokens / estimateTokens(text);
  return share >= 1 ? text : text.slice(-Math.floor(text.length * share));
}

function notesIn(messages: readonly Message[], tokens: number): string {
  const notes = messages.flatMap((message) =>
    message.role === 'tool' && message.name === 'rag' && !message.isError ? [message.text] : [],
  );
  return notes.length === 0 ? '' : `\n\nAnswers to sub-questions so far:\n\n${latest(notes.join('\n\n'), tokens)}`;
}
