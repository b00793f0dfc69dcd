import { z } from 'zod';
import { collections, documentIds } from '../../src/toolbox/fields.ts';
import { scopeFilter } from '../../src/toolbox/scope-filter.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ResearchState } from '../../src/toolbox/tool-ports.ts';
import { requireResearch } from './research-service.ts';

export const researchStart = defineTool({
  name: 'research_start',
  title: 'Start research',
  description:
    'Start longer research over the documents: an agent plans, searches, reads, reasons and reviews its draft, which takes minutes. Returns a research_id immediately; research_result shows the progress and the cited answer. For a single question that is answered in seconds use rag.',
  input: z.object({
    query: z.string().trim().min(1).max(20_000).describe('What to find out, understandable without the conversation'),
    document_ids: documentIds,
    collections,
  }),
  output: z.object({ research_id: z.string(), status: z.string() }),
  annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: true },
  needs: ['research'],
  deadline: 20_000,

  async execute(input, context) {
    const scope = await scopeFilter(input, 'document_id', context);
    const { id, status }: ResearchState = await requireResearch(context).start(input.query, scope);
    return {
      text: `Started.\nresearch_id ${id}\nTo get the answer: call research_result with research_id="${id}", wait_seconds=20.`,
      structured: { research_id: id, status },
    };
  },
});
