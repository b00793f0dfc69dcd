import { z } from 'zod';
import { tokenUsage } from './answers.ts';
import { id, ids } from './shared.ts';

const annotation = z
  .object({
    type: z.literal('url_citation'),
    url_citation: z.object({ start_index: z.int(), end_index: z.int(), url: z.string(), title: z.string() }),
    citation: z
      .object({
        id: z.string(),
        document_id: id.exactOptional(),
        chunk_id: id.exactOptional(),
        graph_id: id.exactOptional(),
        chunk_ids: ids.exactOptional(),
        link: z.string().exactOptional(),
        quotes: z.array(
          z.object({
            start: z.int(),
            end: z.int(),
            text: z.string(),
            page: z.int().nullable(),
            heading_path: z.array(z.string()),
          }),
        ),
        verdict: z.string().exactOptional(),
      })
      .describe('Which passage backs the statement, and what the check said.'),
  })
  .meta({ id: 'Annotation' });

const named = { id: z.string(), created: z.int(), model: z.string() };

/** OpenAI's `chat.completion`. */
export const chatCompletion = z
  .object({
    ...named,
    object: z.literal('chat.completion'),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string(),
          refusal: z.null(),
          annotations: z.array(annotation),
        }),
        logprobs: z.null(),
        finish_reason: z.enum(['stop', 'length', 'content_filter']),
      }),
    ),
    usage: tokenUsage,
    language_model: z.string().describe('What wrote the answer; builtin/extractive when no language model did.'),
  })
  .meta({ id: 'ChatCompletion' });

export const chatFailure = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string(),
    }),
  })
  .meta({ id: 'ChatFailure' });

/** Sent as bare `data: <JSON>` lines, terminated by `data: [DONE]`. */
export const chatChunk = z
  .object({
    ...named,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(
      z.object({
        index: z.int(),
        delta: z.object({
          role: z.literal('assistant').exactOptional(),
          content: z.string().exactOptional(),
          reasoning_content: z.string().exactOptional(),
          annotations: z.array(annotation).exactOptional(),
        }),
        logprobs: z.null(),
        finish_reason: z.string().nullable(),
      }),
    ),
    usage: tokenUsage.nullable().exactOptional(),
    language_model: z.string().exactOptional(),
  })
  .meta({ id: 'ChatChunk' });

export const chatModel = z
  .object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() })
  .meta({ id: 'ChatModel' });

export const chatModels = z.object({ object: z.literal('list'), data: z.array(chatModel) });
