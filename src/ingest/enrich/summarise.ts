import pLimit from 'p-limit';
import { ServiceError } from '../../errors.ts';
import type { Model } from '../../models/model.ts';
import type { PromptTexts } from '../../prompts/prompt-texts.ts';
import { withinTags } from '../../shared/within-tags.ts';
import { writeText } from './write-text.ts';

export interface SummarisedText {
  readonly title: string;
  /** The chunks to summarise, in order. */
  readonly chunks: readonly string[];
  /** Maximum number of characters read. */
  readonly characters: number;
}

export interface SummarisingParts {
  readonly model: Model;
  readonly prompts: PromptTexts;
}

/** Characters per call; longer texts are summarised in parts, and then the parts' summaries once more. */
const PART_CHARACTERS = 48_000;
const CONCURRENCY = 2;
const MAX_SUMMARY_CHARACTERS = 3_000;
const CONFIG = { temperature: 0, maxTokens: 1_000 } as const;

/** A summary of a document by a model. Throws the model's errors, and `provider_failed` for an empty reply. */
export async function summarise(
  { title, chunks, characters }: SummarisedText,
  { model, prompts }: SummarisingParts,
  signal: AbortSignal,
): Promise<string> {
  const write = async (document: string): Promise<string> => {
    const prompt = prompts.fill('summary', { document: withinTags(`${title}\n\n${document}`, 'document') });
    const { text, reason } = await writeText(model, prompt, CONFIG, signal);
    if (text !== '' && reason !== 'refusal') return text.slice(0, MAX_SUMMARY_CHARACTERS).toWellFormed();
    const what = reason === 'refusal' ? 'refused to summarise' : 'wrote nothing about';
    throw new ServiceError('provider_failed', `${model.name} ${what} "${title}".`);
  };
  const parts = inParts(chunks.join('\n\n').slice(0, characters).toWellFormed());
  if (parts.length === 1) return write(parts[0] ?? '');
  const limit = pLimit(CONCURRENCY);
  const summaries = await limit.map(parts, (part, index) => write(`(Part ${index + 1} of ${parts.length})\n\n${part}`));
  return write(summaries.join('\n\n').slice(0, PART_CHARACTERS));
}

/** Splits the text into parts of about equal length, between paragraphs where possible. */
function inParts(text: string): string[] {
  const size = Math.ceil(text.length / Math.ceil(text.length / PART_CHARACTERS || 1));
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const rest = text.length - start;
    const paragraph = text.lastIndexOf('\n\n', start + size);
    const end = rest <= size ? text.length : paragraph > start + size / 2 ? paragraph : start + size;
    parts.push(text.slice(start, end).toWellFormed());
    start = end;
  }
  return parts.length === 0 ? [''] : parts;
}
