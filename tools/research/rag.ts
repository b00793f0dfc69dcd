import { z } from 'zod';
import type { Source } from '../../src/citations/citation.ts';
import { documentTypeOfSource } from '../../src/citations/document-type.ts';
import { renumberMarkers } from '../../src/citations/renumber-markers.ts';
import { addressOfSource } from '../../src/citations/source-address.ts';
import { type GraphHit, graphHitName } from '../../src/documents/graph-hit.ts';
import { ServiceError } from '../../src/errors.ts';
import { shortLine } from '../../src/shared/text.ts';
import { citedQuote, quoteLine, toCitedQuote, verdictField } from '../../src/toolbox/cited-quote.ts';
import { explainEmptyCorpus } from '../../src/toolbox/explain-empty-corpus.ts';
import { collections, documentIds, query } from '../../src/toolbox/fields.ts';
import { titleOf } from '../../src/toolbox/render-blocks.ts';
import { scopeFilter } from '../../src/toolbox/scope-filter.ts';
import { shortChunkId, shortDocumentId } from '../../src/toolbox/short-id.ts';
import { defineTool } from '../../src/toolbox/tool.ts';

export const rag = defineTool({
  name: 'rag',
  title: 'Answer from documents',
  description:
    'Have an agent answer one self-contained question from the ingested documents; it searches and reads on its own. Returns a short answer whose [n] markers name its sources. Use it to split a larger task: several sub-questions can be asked at the same time. If no document supports an answer, it says so.',
  input: z.object({
    query: query.describe('One question that can be understood without the conversation'),
    document_ids: documentIds,
    collections,
  }),
  output: z.object({
    query: z.string(),
    generated_answer: z.string(),
    citations: z.array(
      z.object({
        id: z.string(),
        marker: z.string(),
        document_id: z.string().optional(),
        document_type: z.string().optional(),
        url: z.string().optional(),
        title: z.string(),
        chunk_id: z.string().optional(),
        page: z.number().int().optional(),
        verdict: verdictField.optional(),
        quotes: z.array(citedQuote),
        link: z.string().optional().describe('The page of the document with the quotes marked'),
      }),
    ),
    unsupported_sentences: z.array(z.string()),
    support: z
      .enum(['answer', 'closest', 'none'])
      .optional()
      .describe(
        'Only without a language model: whether the quotes answer the question, are only the closest passages, or nothing was found',
      ),
    model: z.string(),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  needs: ['answerer'],
  deadline: 120_000,

  async execute(input, context) {
    const { ask, cite, spend, signal, webSearch, pageOrigin } = context;
    if (ask === undefined) throw new ServiceError('not_configured', 'The RAG agent is not available here.');
    // With web search the agent can answer even if the corpus is empty.
    const empty = webSearch === undefined ? await explainEmptyCorpus(context) : undefined;
    if (empty !== undefined) throw new ServiceError('not_found', empty);
    const answer = await ask(input.query, await scopeFilter(input, 'document_id', context), signal);
    spend(answer.model, answer.usage);
    const numbers = new Map([...answer.sources].map(([number, source]) => [number, cite(source)]));
    const text = renumberMarkers(answer.text, (number) => numbers.get(number));
    const sources = [...answer.sources.values()];
    const backingOf = (inner: number) => {
      const { verdict, quotes = [] } = answer.evidence?.get(inner) ?? {};
      return { ...(verdict === undefined ? {} : { verdict }), quotes: quotes.map(toCitedQuote) };
    };
    const linkOf = (inner: number, source: Source): string | undefined => {
      const address = addressOfSource(source, answer.evidence?.get(inner)?.quotes ?? []);
      return pageOrigin === undefined || address === undefined ? undefined : `${pageOrigin}${address}`;
    };
    const citations = [...answer.sources].map(([inner, source]) => {
      const backing = backingOf(inner);
      const [first] = backing.quotes;
      // The page of the quote, which may differ from the first page of the chunk.
      const page = first?.page === undefined ? {} : { page: first.page };
      const link = linkOf(inner, source);
      const documentType = documentTypeOfSource(source);
      const type = documentType === undefined ? {} : { document_type: documentType };
      const cited = { ...citationOf(numbers.get(inner) ?? inner, source), ...type, ...page, ...backing };
      return link === undefined ? cited : { ...cited, link };
    });
    const list = [...answer.sources].map(([inner, source]) => {
      const { verdict, quotes } = backingOf(inner);
      const link = linkOf(inner, source);
      const line = `[${numbers.get(inner) ?? inner}] ${placeOf(source)}${quoteLine({ documentType: documentTypeOfSource(source), verdict, quotes })}`;
      return link === undefined ? line : `${line} · ${link}`;
    });
    const unsupported = [...(answer.unsupported ?? [])];
    const warning =
      unsupported.length === 0
        ? ''
        : `\n\nNot supported by any source:\n${unsupported.map((each) => `- ${shortLine(each, 300)}`).join('\n')}`;
    return {
      text: `${list.length === 0 ? text : `${text}\n\nSources:\n${list.join('\n')}`}${warning}`,
      structured: {
        query: input.query,
        generated_answer: text,
        citations,
        unsupported_sentences: unsupported,
        ...(answer.support !== undefined && { support: answer.support }),
        model: answer.model,
      },
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
      const { sentence } = source.hit;
      const title = graphHitName(source.hit);
      if (sentence === undefined) return { ...common, title };
      const { documentId, chunkId, page } = sentence;
      return { ...common, title, document_id: documentId, chunk_id: chunkId, ...(page === null ? {} : { page }) };
    }
    case 'web':
      return { ...common, url: source.page.url, title: source.page.title };
  }
}

const placeOfSentence = ({ sentence }: GraphHit): string =>
  sentence === undefined ? '' : ` · document_id ${shortDocumentId(sentence.documentId)}`;

function placeOf(source: Source): string {
  switch (source.kind) {
    case 'chunk':
      return `${shortLine(titleOf(source.chunk))} · ${shortChunkId(source.chunk)}`;
    case 'document':
      return `${shortLine(source.document.title)} · document_id ${shortDocumentId(source.document.id)}`;
    case 'graph':
      return `${shortLine(graphHitName(source.hit))} · knowledge graph${placeOfSentence(source.hit)}`;
    case 'web':
      return `${shortLine(source.page.title)} · ${source.page.url}`;
  }
}
