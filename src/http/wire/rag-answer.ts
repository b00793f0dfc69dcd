import type { RagAnswer } from '../../rag/rag-event.ts';
import { toCitation } from './citation.ts';
import { type Generated, toCompletion } from './completion.ts';
import { hitContext } from './rag-events.ts';
import { toSearchResults } from './search-results.ts';
import type { HitDetail } from './search-settings.ts';

/**
 * A whole answer (r2r-v3.md 5.2). `metadata` is the provider's completion without the text, and ours in it: `mode`,
 * which is `extractive` when no language model wrote the answer, and how many markers pointed to no source and were
 * taken out.
 */
export function toRagAnswer(
  answer: RagAnswer,
  { query, detail, id, created }: { query: string; detail: HitDetail } & Pick<Generated, 'id' | 'created'>,
) {
  const context = hitContext(answer.search, query, detail);
  const { model, stopReason, usage } = answer;
  return {
    generated_answer: answer.text,
    search_results: toSearchResults(answer.search, query, detail, answer.web),
    citations: answer.citations.map((citation) => toCitation(citation, context)),
    metadata: {
      ...toCompletion({ id, created, model, stopReason, usage }, null),
      mode: answer.mode,
      removed_markers: answer.removedMarkers ?? 0,
    },
    completion: answer.text,
  };
}
