import { z } from 'zod';
import type { Source } from '../../src/citations/citation.ts';
import { graphHitName } from '../../src/documents/graph-hit.ts';
import { ServiceError } from '../../src/errors.ts';
import { query } from '../../src/toolbox/fields.ts';
import { oneLine, titleOf } from '../../src/toolbox/render-passages.ts';
import { defineTool } from '../../src/toolbox/tool.ts';

export const rag = defineTool({
  name: 'rag',
  title: 'Answer from documents',
  description:
    'Have one self-contained question answered from the ingested documents by an agent that searches and reads by itself. Returns a short answer whose [n] markers name its sources. Reach for it to split a larger task: several sub-questions may be asked at the same time. When nothing found supports an answer, it says so.',
  input: z.object({ query: query.describe('One question that can be understood without the conversation') }),
  output: z.object({
    query: z.string(),
    generated_answer: z.string(),
    citations: z.array(
      z.object({
        id: z.string(),
        marker: z.string(),
        document_id: z.string().optional(),
        url: z.string().optional(),
        title: z.string(),
        chunk_id: z.string().optional(),
        page: z.number().int().optional(),
      }),
    ),
    model: z.string(),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  needs: ['answerer'],
  deadline: 120_000,

  async execute(input, { ask, cite, spend, signal }) {
    if (ask === undefined) throw new ServiceError('not_configured', 'The RAG agent is not available here.');
    const answer = await ask(input.query, signal);
    spend(answer.model, answer.usage);
    const numbers = new Map([...answer.sources].map(([number, source]) => [number, cite(source)]));
    const text = answer.text.replaceAll(/\[(\d+)\]/g, (whole, digits: string) => {
      const number = numbers.get(Number(digits));
      return number === undefined ? whole : `[${number}]`;
    });
    const sources = [...answer.sources.values()];
    const citations = [...answer.sources].map(([inner, source]) => citationOf(numbers.get(inner) ?? inner, source));
    const list = [...answer.sources].map(([inner, source]) => `[${numbers.get(inner) ?? inner}] ${placeOf(source)}`);
    return {
      text: list.length === 0 ? text : `${text}\n\nSources:\n${list.join('\n')}`,
      structured: { query: input.query, generated_answer: text, citations, model: answer.model },
      sources,
      isUntrusted: answer.isUntrusted,
    };
  },
});

function citationOf(number: number, source: Source) {
  const common = { id: `cit.${number}`, marker: `[${number}]` };
  switch (source.kind) {
    case 'chunk':
      return {
        ...common,
        document_id: source.chunk.documentId,
        title: titleOf(source.chunk),
        chunk_id: source.chunk.id,
        ...(source.chunk.page === null ? {} : { page: source.chunk.page }),
      };
    case 'document':
      return { ...common, document_id: source.document.id, title: source.document.title };
    case 'graph': {
      const [first] = source.hit.documents;
      const title = graphHitName(source.hit);
      return { ...common, title, ...(first === undefined ? {} : { document_id: first.id }) };
    }
    case 'web':
      return { ...common, url: source.page.url, title: source.page.title };
  }
}

function placeOf(source: Source): string {
  switch (source.kind) {
    case 'chunk':
      return `${oneLine(titleOf(source.chunk))} · document_id ${source.chunk.documentId} · chunk_id ${source.chunk.id}`;
    case 'document':
      return `${oneLine(source.document.title)} · document_id ${source.document.id}`;
    case 'graph':
      return `${oneLine(graphHitName(source.hit))} · knowledge graph${source.hit.documents.map(({ id }) => ` · document_id ${id}`).join('')}`;
    case 'web':
      return `${oneLine(source.page.title)} · ${source.page.url}`;
  }
}
