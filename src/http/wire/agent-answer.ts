import { z } from 'zod';
import type { AgentAnswer } from '../../agent/agent-event.ts';
import { checkedCitation, outcome, toCheckedCitation, toOutcome } from './agent-events.ts';
import { type HitContext, toChunkHit } from './chunk-record.ts';
import { toDocumentRecord } from './document-record.ts';
import { toGraphHit } from './graph-hit.ts';
import { id } from './record-parts.ts';
import { toWebRecord } from './web-record.ts';

/** docs/contract.md 5.3. */
const agentMembers = {
  generated_answer: z.string(),
  citations: z.array(checkedCitation),
  conversation_id: id,
};

export const agentAnswer = z.object({
  results: z
    .object({
      messages: z.array(
        z.object({
          role: z.literal('assistant'),
          content: z.string(),
          name: z.null(),
          function_call: z.null(),
          tool_calls: z.null(),
          tool_call_id: z.null(),
          metadata: z.object({
            citations: z.array(checkedCitation),
            tool_calls: z.array(z.object({ name: z.string(), args: z.string() })),
            aggregated_search_result: z.string().describe('JSON of all sources.'),
          }),
          structured_content: z.null(),
          image_url: z.null(),
          image_data: z.null(),
        }),
      ),
      ...agentMembers,
      ...outcome,
    })
    .meta({ id: 'AgentAnswer' }),
  ...agentMembers,
});

/** A complete turn (docs/contract.md 5.3): R2R's message list, the specification's members, and additions. */
export function toAgentAnswer(answer: AgentAnswer, context: HitContext) {
  const citations = answer.citations.map((citation) => ({
    ...toCheckedCitation(citation, context),
    is_new: true,
    span: null,
  }));
  return {
    messages: [
      {
        role: 'assistant',
        content: answer.text,
        name: null,
        function_call: null,
        tool_calls: null,
        tool_call_id: null,
        metadata: {
          citations,
          tool_calls: answer.toolCalls.map(({ name, arguments: given }) => ({ name, args: JSON.stringify(given) })),
          aggregated_search_result: JSON.stringify(answer.sources.map((source) => toSourceResult(source, context))),
        },
        structured_content: null,
        image_url: null,
        image_data: null,
      },
    ],
    conversation_id: answer.conversationId,
    generated_answer: answer.text,
    citations,
    ...toOutcome(answer),
  };
}

function toSourceResult(source: AgentAnswer['sources'][number], context: HitContext) {
  switch (source.kind) {
    case 'chunk':
      return { source_type: 'chunk', result: toChunkHit(source.chunk, context) };
    case 'document':
      return { source_type: 'doc', result: toDocumentRecord(source.document) };
    case 'graph':
      return { source_type: 'graph', result: toGraphHit(source.hit, context) };
    case 'web':
      return { source_type: 'web', result: toWebRecord(source.page) };
  }
}
