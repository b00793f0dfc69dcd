import type { Document } from '../documents/document.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import { shortLine } from '../shared/text.ts';
import { fence } from '../toolbox/fence.ts';
import type { AgentMode } from './agent-event.ts';

const MAX_SUMMARY_LENGTH = 128;

export interface SystemPromptParts {
  readonly mode: AgentMode;
  readonly today: string;
  /** Newest documents visible to the caller (docs/contract.md 5.3, use_system_context) and their total number. */
  readonly newest: readonly Document[];
  readonly total: number;
  readonly prompts: PromptTexts;
}

export function systemPrompt({ mode, today, newest, total, prompts }: SystemPromptParts): string {
  if (newest.length === 0) return prompts.fill(`static_${mode}_agent`, { date: today });
  const lines = newest.map((document) => {
    const summary = document.summary === null ? '' : ` — ${shortLine(document.summary, MAX_SUMMARY_LENGTH)}`;
    return `- ${shortLine(document.title)} (${document.type}, about ${document.totalTokens} tokens, document_id ${document.id})${summary}`;
  });
  const more = total > newest.length ? `\nand ${total - newest.length} more; search_file_descriptions finds them.` : '';
  return prompts.fill(`dynamic_${mode}_agent`, {
    date: today,
    document_context: `${fence(lines.join('\n'), 'corpus')}${more}`,
  });
}
