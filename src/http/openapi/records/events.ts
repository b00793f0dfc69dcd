import { z } from 'zod';
import { finalCheckedCitation, finalCitation, mention, outcome, support, usage, verdictMembers } from './answers.ts';
import { pulled } from './graph.ts';
import { searchResults } from './search.ts';
import { id, timestamp } from './shared.ts';

// docs/contract.md 5.5. Each event is sent as `event: <name>` and `data: <one line of JSON>`; `event: done` with the
// data `[DONE]`, which is not JSON, ends every stream.

const event = <Name extends string>(name: Name, data: z.ZodType) => z.object({ event: z.literal(name), data });

const delta = (object: string) =>
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

const message = event('message', delta('agent.message.delta').meta({ id: 'MessageDelta' }));
const thinking = event('thinking', delta('agent.thinking.delta').meta({ id: 'ThinkingDelta' }));
const error = event(
  'error',
  z
    .object({
      id: z.string(),
      object: z.literal('agent.error'),
      error: z.object({ message: z.string(), type: z.literal('agent_error'), code: z.string() }),
    })
    .meta({ id: 'StreamError', description: 'In the place of the final answer.' }),
);
const done = event('done', z.literal('[DONE]'));

const final = { id: z.literal('msg_final'), generated_answer: z.string() };

/** docs/contract.md 5.5. */
export const ragEvent = z
  .union([
    event('search_results', z.object({ id: z.string(), object: z.literal('rag.search_results'), data: searchResults })),
    thinking,
    message,
    event('citation', z.object(mention)),
    event(
      'final_answer',
      z
        .object({
          ...final,
          object: z.literal('rag.final_answer'),
          citations: z.array(finalCitation),
          model: z.string(),
          mode: z.string(),
          support,
          removed_markers: z.int(),
        })
        .meta({ id: 'RagFinalAnswer' }),
    ),
    error,
    done,
  ])
  .meta({ id: 'RagEvent' });

/** docs/contract.md 5.5. */
export const agentEvent = z
  .union([
    thinking,
    event('tool_call', z.object({ tool_call_id: z.string(), name: z.string(), arguments: z.looseObject({}) })),
    event(
      'tool_result',
      z.object({
        tool_call_id: z.string(),
        role: z.literal('tool'),
        name: z.string(),
        content: z.string(),
        is_error: z.boolean(),
        usage,
      }),
    ),
    message,
    event('citation', z.object({ ...mention, ...verdictMembers })),
    event(
      'final_answer',
      z
        .object({
          ...final,
          object: z.literal('agent.final_answer'),
          citations: z.array(finalCheckedCitation),
          conversation_id: id,
          ...outcome,
        })
        .meta({ id: 'AgentFinalAnswer' }),
    ),
    error,
    done,
  ])
  .meta({ id: 'AgentEvent' });

export const runEvent = z.union([ragEvent, agentEvent]);

export const completionEvent = z.union([thinking, message, error, done]).meta({ id: 'CompletionEvent' });

const ofDocument = <Shape extends z.ZodRawShape>(shape: Shape) => z.object({ document_id: id, ...shape });

/** Addition of Citewell: the progress of a document's ingestion. */
export const ingestionEvent = z
  .union([
    event('status', ofDocument({ ingestion_status: z.string() })),
    event(
      'progress',
      ofDocument({ ingestion_status: z.enum(['augmenting', 'embedding']), done: z.int(), total: z.int() }),
    ),
    event('postponed', ofDocument({ reason: z.string(), next_try_at: timestamp })),
    event('ingested', ofDocument({ ingestion_status: z.literal('success'), chunk_count: z.int() })),
    event('failed', ofDocument({ ingestion_status: z.literal('failed'), reason: z.string() })),
    event('cancelled', ofDocument({ reason: z.string() })),
    error,
    done,
  ])
  .meta({ id: 'IngestionEvent' });

export const pullEvent = z
  .union([event('progress', z.object({ done: z.int(), total: z.int() })), event('pulled', pulled), error, done])
  .meta({ id: 'PullEvent' });

export const resetEvent = z
  .union([
    event('progress', z.object({ done: z.int(), total: z.int() })),
    event('reset', z.object({ success: z.boolean() })),
    error,
    done,
  ])
  .meta({ id: 'ResetEvent' });

export const reindexEvent = z
  .union([
    event('progress', z.object({ done: z.int(), total: z.int() })),
    event(
      'reindexed',
      z.object({
        embedder: z.string(),
        version: z.string(),
        dimensions: z.int(),
        collection: z.string(),
        state: z.enum(['current', 'building', 'previous']),
        vectors: z.int(),
        created_at: timestamp,
      }),
    ),
    error,
    done,
  ])
  .meta({ id: 'ReindexEvent' });
