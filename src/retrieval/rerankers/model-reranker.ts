import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { collectReply } from '../../models/collect-reply.ts';
import type { Model } from '../../models/model.ts';
import { builtInPrompts, type PromptTexts } from '../../prompts/prompt-texts.ts';
import { jsonOrUndefined } from '../../shared/text.ts';
import { withinTags } from '../../shared/within-tags.ts';
import type { RankedText, Reranker, RerankRequest } from '../rerank.ts';

const DEFAULT_DEPTH = 20;
const DEFAULT_TIMEOUT_MS = 20_000;
const TEXTS_PER_CALL = 20;
const MAX_TEXT_LENGTH = 1_500;
const MAX_SCORE = 10;

const reply = z.object({ scores: z.array(z.object({ passage: z.coerce.number().int(), score: z.coerce.number() })) });

const responseFormat = {
  type: 'json_schema',
  json_schema: {
    name: 'scores',
    strict: true,
    schema: {
      type: 'object',
      properties: {
        scores: {
          type: 'array',
          items: {
            type: 'object',
            properties: { passage: { type: 'integer' }, score: { type: 'number' } },
            required: ['passage', 'score'],
            additionalProperties: false,
          },
        },
      },
      required: ['scores'],
      additionalProperties: false,
    },
  },
};

/** A language model that grades each chunk from 0 to 10. Chunks it omits are unscored. */
export function modelReranker(model: Model, prompts: PromptTexts = builtInPrompts): Reranker {
  return {
    name: model.name,
    depth: DEFAULT_DEPTH,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    async rank({ query, texts }, signal) {
      const starts = Array.from({ length: Math.ceil(texts.length / TEXTS_PER_CALL) }, (_, part) => part);
      const parts = await Promise.all(
        starts.map(async (part) => {
          const start = part * TEXTS_PER_CALL;
          const batch = texts.slice(start, start + TEXTS_PER_CALL);
          const ranked = readScores(await ask(model, { query, texts: batch }, { prompts, signal }), batch.length);
          return ranked.map((each) => ({ ...each, index: each.index + start }));
        }),
      );
      return parts.flat();
    },
  };
}

async function ask(
  model: Model,
  { query, texts }: RerankRequest,
  { prompts, signal }: { readonly prompts: PromptTexts; readonly signal: AbortSignal },
): Promise<string> {
  const shown = texts.map(
    (text, at) => `[${at + 1}]\n<passage>\n${withinTags(text.slice(0, MAX_TEXT_LENGTH), 'passage')}\n</passage>`,
  );
  const { text } = await collectReply(model, {
    messages: [
      { role: 'system', text: prompts.fill('rerank') },
      { role: 'user', text: `Question: ${query}\n\n${shown.join('\n\n')}` },
    ],
    tools: [],
    config: { temperature: 0, maxTokens: 200 + 30 * texts.length, responseFormat },
    signal,
  });
  return text;
}

function readScores(answer: string, count: number): RankedText[] {
  const parsed = reply.safeParse(jsonOrUndefined(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)));
  const ranked = (parsed.data?.scores ?? []).flatMap(({ passage, score }) =>
    passage < 1 || passage > count
      ? []
      : [{ index: passage - 1, score: Math.min(MAX_SCORE, Math.max(0, score)) / MAX_SCORE }],
  );
  if (ranked.length === 0) throw new ServiceError('provider_failed', 'its reply names no scores');
  return ranked;
}
