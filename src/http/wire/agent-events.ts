import type { AgentAnswer, AgentEvent } from '../../agent/agent-event.ts';
import type { Spend } from '../../agent/budget.ts';
import type { CheckedCitation } from '../../citations/check-citation.ts';
import type { Source } from '../../citations/citation.ts';
import { ServiceError } from '../../errors.ts';
import type { ServerSentEvent } from '../sse.ts';
import type { HitContext } from './chunk-record.ts';
import { toFinalCitation, toMention, toSpan } from './citation.ts';
import { toSentencePlace } from './graph-hit.ts';
import { deltaEvent, streamId } from './stream-events.ts';

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
        },
      };
    case 'citation':
      return { event: 'citation', data: { ...toMention(event, context), ...toVerdict(event.citation) } };
    case 'final_answer':
      return { event: 'final_answer', data: finalAnswer(event.answer, context) };
  }
}

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

/** Additional members: how the run went. */
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
