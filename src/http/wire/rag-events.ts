import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { RagAnswer, RagEvent } from '../../rag/rag-event.ts';
import type { SearchOutcome } from '../../retrieval/retriever.ts';
import type { ServerSentEvent } from '../sse.ts';
import type { HitContext } from './chunk-record.ts';
import { finalCitation, mention, toFinalCitation, toMention } from './citation.ts';
import { support } from './completion.ts';
import { searchResults, toStreamedSearchResults } from './search-results.ts';
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

/** docs/contract.md 5.5. */
export const ragEvent = z
  .union([
    eventSchema(
      'search_results',
      z.object({ id: z.string(), object: z.literal('rag.search_results'), data: searchResults }),
    ),
    thinkingSchema,
    waitingSchema,
    messageSchema,
    eventSchema('citation', z.object(mention)),
    eventSchema(
      'final_answer',
      z
        .object({
          ...finalAnswerMembers,
          object: z.literal('rag.final_answer'),
          citations: z.array(finalCitation),
          model: z.string(),
          mode: z.string(),
          support,
          removed_markers: z.int(),
          stop_reason: z.enum(['end', 'length', 'refusal']).describe('`length`: max_tokens cut the answer off.'),
        })
        .meta({ id: 'RagFinalAnswer' }),
    ),
    errorSchema,
    doneSchema,
  ])
  .meta({ id: 'RagEvent' });

/** An answer as the event stream of docs/contract.md 5.5: `search_results` first, `final_answer` last. */
export async function* toRagEvents(
  events: AsyncIterable<RagEvent>,
  shownWith: Omit<HitContext, 'kind'>,
): AsyncGenerator<ServerSentEvent, void> {
  const ids = { message: streamId('msg'), thinking: streamId('think') };
  let context: HitContext = { ...shownWith, kind: 'semantic' };
  let isAnswered = false;
  for await (const event of events) {
    if (event.type === 'search_results') context = hitContext(event.outcome, shownWith);
    if (event.type === 'final_answer') isAnswered = true;
    yield toServerSentEvent(event, ids, context);
  }
  if (!isAnswered) throw new ServiceError('internal', 'The answer ended before it was complete.');
}

/** The context in which hits and citations of this outcome are rendered. */
export function hitContext(outcome: SearchOutcome, shownWith: Omit<HitContext, 'kind'>): HitContext {
  return { ...shownWith, kind: outcome.explanation.kind };
}

function toServerSentEvent(
  event: RagEvent,
  ids: { readonly message: string; readonly thinking: string },
  context: HitContext,
): ServerSentEvent {
  switch (event.type) {
    case 'search_results': {
      const data = toStreamedSearchResults(event.outcome, context.query, context.detail, event.web);
      return { event: 'search_results', data: { id: 'search_1', object: 'rag.search_results', data } };
    }
    case 'thinking':
    case 'message':
      return deltaEvent(event.type, ids[event.type], event.text);
    case 'waiting':
      return { event: 'waiting', data: { seconds: event.seconds } };
    case 'citation':
      return { event: 'citation', data: toMention(event, context) };
    case 'final_answer':
      return { event: 'final_answer', data: finalAnswer(event.answer, context) };
  }
}

/**
 * Additions: `model`, `mode` (`extractive` if no language model wrote the answer), `support`, `removed_markers`, the
 * number of removed markers without a source, and `stop_reason`, as agents have it.
 */
function finalAnswer(answer: RagAnswer, context: HitContext) {
  return {
    id: 'msg_final',
    object: 'rag.final_answer',
    generated_answer: answer.text,
    citations: answer.citations.map((citation) => toFinalCitation(citation, context)),
    model: answer.model,
    mode: answer.mode,
    ...(answer.support !== undefined && { support: answer.support }),
    removed_markers: answer.removedMarkers ?? 0,
    stop_reason: answer.stopReason === 'tool_calls' ? 'end' : answer.stopReason,
  };
}
