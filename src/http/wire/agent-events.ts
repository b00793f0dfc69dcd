import { z } from 'zod';
import type { AgentAnswer, AgentEvent } from '../../agent/agent-event.ts';
import type { Spend } from '../../agent/budget.ts';
import type { CheckedCitation } from '../../citations/check-citation.ts';
import type { Source } from '../../citations/citation.ts';
import { verdicts } from '../../citations/verdict.ts';
import { ServiceError } from '../../errors.ts';
import { madeFilePath } from '../../toolbox/made-file-path.ts';
import type { OutputFile } from '../../toolbox/tool.ts';
import type { ServerSentEvent } from '../sse.ts';
import type { HitContext } from './chunk-record.ts';
import { finalMembers, firstMention, mention, span, toFinalCitation, toMention, toSpan } from './citation.ts';
import { support } from './completion.ts';
import { toSentencePlace } from './graph-hit.ts';
import { id, ids } from './record-parts.ts';
import {
  deltaEvent,
  doneSchema,
  errorSchema,
  eventSchema,
  finalAnswerMembers,
  messageSchema,
  streamId,
  thinkingSchema,
  waitingSchema,
} from './stream-events.ts';

const verdict = z.enum(verdicts);

const checkMembers = {
  verdict: verdict.describe('The weakest verdict of the checks.'),
  verdict_score: z.number(),
  checks: z.array(
    z.object({
      span,
      statement: z.string(),
      verdict,
      score: z.number(),
      found_in: z
        .object({
          document_id: id.exactOptional(),
          chunk_id: id.exactOptional(),
          graph_id: id.exactOptional(),
          chunk_ids: ids.exactOptional(),
          link: z.string().exactOptional(),
        })
        .exactOptional(),
    }),
  ),
};

export const checkedCitation = z
  .object({ ...finalMembers, ...checkMembers, ...firstMention })
  .meta({ id: 'CheckedCitation' });

const finalCheckedCitation = z.object({ ...finalMembers, ...checkMembers }).meta({ id: 'FinalCheckedCitation' });

const verdictMembers = { verdict, verdict_score: z.number() };

const usage = z
  .object({
    input_tokens: z.int(),
    cached_input_tokens: z.int(),
    output_tokens: z.int(),
    reasoning_tokens: z.int(),
    total_tokens: z.int(),
    steps: z.int(),
    seconds: z.number(),
    cost_usd: z.number().nullable().describe('Null if a model without a known price was used.'),
  })
  .meta({ id: 'RunUsage' });

export const outcome = {
  model: z.string(),
  mode: z.enum(['rag', 'research', 'extractive']),
  support,
  stop_reason: z.enum(['end', 'length', 'refusal', 'steps', 'tokens', 'time', 'money']),
  unsupported_sentences: z.array(z.object({ start: z.int(), end: z.int(), text: z.string() })),
  removed_markers: z.int(),
  usage,
};

/** docs/contract.md 5.5. */
export const agentEvent = z
  .union([
    thinkingSchema,
    waitingSchema,
    eventSchema('tool_call', z.object({ tool_call_id: z.string(), name: z.string(), arguments: z.looseObject({}) })),
    eventSchema(
      'tool_result',
      z.object({
        tool_call_id: z.string(),
        role: z.literal('tool'),
        name: z.string(),
        content: z.string(),
        is_error: z.boolean(),
        usage,
        files: z
          .array(z.object({ name: z.string(), mime_type: z.string(), size: z.int(), link: z.string() }))
          .exactOptional()
          .describe('Created by the call; kept for at most an hour.'),
      }),
    ),
    messageSchema,
    eventSchema('citation', z.object({ ...mention, ...verdictMembers })),
    eventSchema(
      'final_answer',
      z
        .object({
          ...finalAnswerMembers,
          object: z.literal('agent.final_answer'),
          citations: z.array(finalCheckedCitation),
          conversation_id: id,
          ...outcome,
        })
        .meta({ id: 'AgentFinalAnswer' }),
    ),
    errorSchema,
    doneSchema,
  ])
  .meta({ id: 'AgentEvent' });

/** A run as the event stream of docs/contract.md 5.5, `final_answer` last. */
export async function* toAgentEvents(
  events: AsyncIterable<AgentEvent>,
  context: HitContext,
): AsyncGenerator<ServerSentEvent, void> {
  const ids = { message: streamId('msg'), thinking: streamId('think') };
  let isAnswered = false;
  for await (const event of events) {
    if (event.type === 'final_answer') isAnswered = true;
    yield toServerSentEvent(event, ids, context);
  }
  if (!isAnswered) throw new ServiceError('internal', 'The run ended before it was complete.');
}

function toServerSentEvent(
  event: AgentEvent,
  ids: { readonly message: string; readonly thinking: string },
  context: HitContext,
): ServerSentEvent {
  switch (event.type) {
    case 'thinking':
    case 'message':
      return deltaEvent(event.type, ids[event.type], event.text);
    case 'waiting':
      return { event: 'waiting', data: { seconds: event.seconds } };
    case 'tool_call': {
      const { id, name, arguments: given } = event.call;
      return { event: 'tool_call', data: { tool_call_id: id, name, arguments: asObject(given) } };
    }
    case 'tool_result':
      return {
        event: 'tool_result',
        data: {
          tool_call_id: event.callId,
          role: 'tool',
          name: event.name,
          content: event.content,
          is_error: event.isError,
          usage: toUsage(event.spent),
          ...(event.files && { files: event.files.flatMap(toFileRecord) }),
        },
      };
    case 'citation':
      return { event: 'citation', data: { ...toMention(event, context), ...toVerdict(event.citation) } };
    case 'final_answer':
      return { event: 'final_answer', data: finalAnswer(event.answer, context) };
  }
}

const toFileRecord = ({ name, mediaType, size, runId }: Omit<OutputFile, 'bytes'>) =>
  runId === undefined ? [] : [{ name, mime_type: mediaType, size, link: madeFilePath(runId, name) }];

/** The contract promises an object (docs/contract.md D5); other values written by a model are passed on unchanged. */
function asObject(given: unknown): object {
  return typeof given === 'object' && given !== null && !Array.isArray(given) ? given : { raw: given };
}

function finalAnswer(answer: AgentAnswer, context: HitContext) {
  return {
    id: 'msg_final',
    object: 'agent.final_answer',
    generated_answer: answer.text,
    citations: answer.citations.map((citation) => toCheckedCitation(citation, context)),
    conversation_id: answer.conversationId,
    ...toOutcome(answer),
  };
}

/** A citation with the result of the check as additional members. */
export const toCheckedCitation = (citation: CheckedCitation, context: HitContext) => ({
  ...toFinalCitation(citation, context),
  ...toVerdict(citation),
  checks: citation.checks.map((check) => ({
    span: toSpan(check.span),
    statement: check.statement,
    verdict: check.verdict,
    score: check.score,
    ...(check.foundIn === undefined ? {} : { found_in: toLocation(check.foundIn) }),
  })),
});

function toLocation(source: Source) {
  switch (source.kind) {
    case 'chunk':
      return { document_id: source.chunk.documentId, chunk_id: source.chunk.id };
    case 'document':
      return { document_id: source.document.id };
    case 'graph':
      return { graph_id: source.hit.id, chunk_ids: source.hit.chunkIds, ...toSentencePlace(source.hit) };
    case 'web':
      return { link: source.page.url };
  }
}

const toVerdict = ({ verdict, score }: CheckedCitation) => ({ verdict, verdict_score: score });

/** Additional members about the outcome of a run. */
export const toOutcome = (answer: AgentAnswer) => ({
  model: answer.model,
  mode: answer.isExtractive ? 'extractive' : answer.mode,
  ...(answer.support !== undefined && { support: answer.support }),
  stop_reason: answer.ended,
  unsupported_sentences: answer.unsupported.map((span) => ({
    ...toSpan(span),
    text: answer.text.slice(span.start, span.end),
  })),
  removed_markers: answer.removedMarkers,
  usage: toUsage(answer.spent),
});

const toUsage = (spent: Spend) => ({
  input_tokens: spent.input,
  cached_input_tokens: spent.cachedInput,
  output_tokens: spent.output,
  reasoning_tokens: spent.reasoning,
  total_tokens: spent.input + spent.output,
  steps: spent.steps,
  seconds: Math.round(spent.seconds * 1000) / 1000,
  cost_usd: spent.dollars,
});
