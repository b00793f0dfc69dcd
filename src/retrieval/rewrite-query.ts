import { collectReply } from '../models/collect-reply.ts';
import type { Model } from '../models/model.ts';
import { builtInPrompts, type PromptTexts } from '../prompts/prompt-texts.ts';

/** Writes query variants: hypothetical answers (`hyde`) or paraphrases (`rag_fusion`). */
export interface QueryVariants {
  /** At most `count`, without the query itself; fewer when the model gives fewer. Throws the model's errors. */
  write(request: VariantRequest, signal: AbortSignal): Promise<readonly string[]>;
}

export interface VariantRequest {
  readonly query: string;
  readonly strategy: 'hyde' | 'rag_fusion';
  readonly count: number;
}

/** Variants written by a model, with these prompts. */
export function modelQueryVariants(model: Model, prompts: PromptTexts = builtInPrompts): QueryVariants {
  return {
    async write(request, signal) {
      const { text } = await collectReply(model, {
        messages: [
          { role: 'system', text: prompts.fill(request.strategy, { num_outputs: String(request.count) }) },
          { role: 'user', text: request.query },
        ],
        tools: [],
        config: { temperature: 0.5, maxTokens: 150 + 150 * request.count },
        signal,
      });
      return readVariants(text, request);
    },
  };
}

/** Parses one variant per line, removing list markers. */
export function readVariants(answer: string, { query, count }: VariantRequest): string[] {
  const lines = answer.split('\n').map((line) => line.replace(/^\s*(?:[-*•]|\(?\d{1,2}[.):])\s+/, '').trim());
  return [...new Set(lines)].filter((line) => /[\p{L}\p{N}]/u.test(line) && line !== query).slice(0, count);
}
