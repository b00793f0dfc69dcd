import type { AgentAnswer } from '../../agent/agent-event.ts';
import { toCheckedCitation, toOutcome } from './agent-events.ts';
import { type HitContext, toChunkHit } from './chunk-record.ts';
import { toDocumentRecord } from './document-record.ts';
import { toGraphHit } from './graph-hit.ts';
import { toWebRecord } from './web-record.ts';

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
