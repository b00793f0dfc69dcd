import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { ServiceError } from '../../errors.ts';

// docs/contract.md 5.5. Each event is sent as `event: <name>` and `data: <one line of JSON>`; `event: done` with the
// data `[DONE]`, which is not JSON, ends every stream.

export const eventSchema = <Name extends string>(name: Name, data: z.ZodType) =>
  z.object({ event: z.literal(name), data });

const deltaSchema = (object: string) =>
  z.object({
    id: z.string(),
    object: z.literal(object),
    delta: z.object({
      content: z.array(
        z.object({
          type: z.literal('text'),
          payload: z.object({ value: z.string(), annotations: z.array(z.json()) }),
        }),
      ),
    }),
  });

export const messageSchema = eventSchema('message', deltaSchema('agent.message.delta').meta({ id: 'MessageDelta' }));

export const thinkingSchema = eventSchema(
  'thinking',
  deltaSchema('agent.thinking.delta').meta({ id: 'ThinkingDelta' }),
);

export const waitingSchema = eventSchema(
  'waiting',
  z
    .object({ seconds: z.number() })
    .meta({ id: 'WaitingForProvider', description: 'The provider asked to wait so long. Only with `resumable`.' }),
);

export const errorSchema = eventSchema(
  'error',
  z
    .object({
      id: z.string(),
      object: z.literal('agent.error'),
      error: z.object({ message: z.string(), type: z.literal('agent_error'), code: z.string() }),
    })
    .meta({ id: 'StreamError', description: 'Sent instead of the final answer.' }),
);

export const doneSchema = eventSchema('done', z.literal('[DONE]'));

export const finalAnswerMembers = { id: z.literal('msg_final'), generated_answer: z.string() };

export const completionEvent = z
  .union([thinkingSchema, messageSchema, errorSchema, doneSchema])
  .meta({ id: 'CompletionEvent' });

/** A random id such as `msg_1a2b3c4d`, shared by the deltas of one answer (docs/contract.md 5.5). */
export const streamId = (prefix: 'msg' | 'think' | 'err'): string => `${prefix}_${randomBytes(4).toString('hex')}`;

/** A piece of the answer, or of the thinking that precedes it. */
export function deltaEvent(type: 'message' | 'thinking', id: string, text: string) {
  return {
    event: type,
    data: {
      id,
      object: `agent.${type}.delta`,
      delta: { content: [{ type: 'text', payload: { value: text, annotations: [] } }] },
    },
  };
}

/** Sent instead of the final answer if there will be none (docs/contract.md 5.6). */
export function errorEvent(error: ServiceError) {
  return {
    event: 'error',
    data: {
      id: streamId('err'),
      object: 'agent.error',
      error: { message: error.message, type: 'agent_error', code: error.code },
    },
  };
}
