import type { Document } from '../documents/document.ts';
import { collectReply } from '../models/collect-reply.ts';
import { isExtractive } from '../models/extractive/extractive-model.ts';
import type { ModelRegistry } from '../models/model.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import { withinTags } from '../shared/within-tags.ts';
import type { Paged } from '../store/corpus.ts';

export interface DescribedCollection {
  readonly name: string;
  /** The newest documents and the total number. */
  readonly documents: Paged<Pick<Document, 'title' | 'summary'>>;
  readonly models: ModelRegistry;
  readonly prompts: PromptTexts;
  readonly signal: AbortSignal;
}

const MAX_CHARACTERS = 24_000;
const MAX_TITLES = 8;
const MAX_DESCRIPTION_LENGTH = 2_000;

/** Describes a collection: by a model if one is configured, otherwise as a list of titles. */
export async function describeCollection(collection: DescribedCollection): Promise<string> {
  const { name, documents, models, prompts, signal } = collection;
  const model = models.resolve(undefined, 'fast');
  if (isExtractive(model.name) || documents.items.length === 0) return byTitles(documents);
  const summaries = documents.items.map(({ title, summary }) => `- ${title}: ${summary ?? ''}`).join('\n');
  const text = prompts.fill('collection_summary', {
    collection_name: name,
    document_summaries: withinTags(summaries, 'summaries').slice(0, MAX_CHARACTERS),
  });
  const messages = [{ role: 'user', text }] as const;
  const reply = await collectReply(model, { messages, tools: [], config: { maxTokens: 400 }, signal });
  return reply.text.trim().slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed() || byTitles(documents);
}

function byTitles({ items, total }: DescribedCollection['documents']): string {
  if (total === 0) return 'An empty collection.';
  const titles = items.slice(0, MAX_TITLES).map(({ title }) => title);
  const more = total > titles.length ? ` and ${total - titles.length} more` : '';
  return `${total} ${total === 1 ? 'document' : 'documents'}: ${titles.join('; ')}${more}.`.slice(
    0,
    MAX_DESCRIPTION_LENGTH,
  );
}
