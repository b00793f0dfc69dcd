import { z } from 'zod';
import type { RagAnswer } from '../../rag/rag-event.ts';
import type { HitContext } from './chunk-record.ts';
import { citation, toCitation } from './citation.ts';
import { completionMembers, type Generated, support, toCompletion } from './completion.ts';
import { hitContext } from './rag-events.ts';
import { searchResults, toSearchResults } from './search-results.ts';

/** docs/contract.md 5.2. */
const ragMembers = {
  generated_answer: z.string(),
  search_results: searchResults,
  citations: z.array(citation),
};

export const ragAnswer = z.object({
  results: z
    .object({
      ...ragMembers,
      metadata: z.object({ ...completionMembers, mode: z.string(), support, removed_markers: z.int() }),
      completion: z.string().meta({ deprecated: true }),
    })
    .meta({ id: 'RagAnswer' }),
  ...ragMembers,
});

/**
 * A complete answer (docs/contract.md 5.2). `metadata` is the provider's completion without the text, with additions:
 * `mode` (`extractive` if no language model wrote the answer), `support` for extractive answers (`closest` if the
 * quoted passages may not answer the question), and `removed_markers`, the number of removed markers without a source.
 */
export function toRagAnswer(
  answer: RagAnswer,
  { query, detail, origin, id, created }: Omit<HitContext, 'kind'> & Pick<Generated, 'id' | 'created'>,
) {
  const context = hitContext(answer.search, { query, detail, origin });
  const { model, stopReason, usage } = answer;
  return {
    generated_answer: answer.text,
    search_results: toSearchResults(answer.search, query, detail, answer.web),
    citations: answer.citations.map((citation) => toCitation(citation, context)),
    metadata: {
      ...toCompletion({ id, created, model, stopReason, usage }, null),
      mode: answer.mode,
      ...(answer.support !== undefined && { support: answer.support }),
      removed_markers: answer.removedMarkers ?? 0,
    },
    completion: answer.text,
  };
}
