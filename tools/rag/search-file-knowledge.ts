import { z } from 'zod';
import { addressOfSource } from '../../src/citations/source-address.ts';
import { documentTypeOf, type ScoredChunk } from '../../src/documents/chunk.ts';
import { allOf } from '../../src/documents/filter.ts';
import type { GraphHit } from '../../src/documents/graph-hit.ts';
import type { Coverage } from '../../src/retrieval/coverage.ts';
import type { SearchOutcome } from '../../src/retrieval/retriever.ts';
import { contextAsOf } from '../../src/toolbox/as-of.ts';
import { readCursor, writeCursor } from '../../src/toolbox/cursor.ts';
import { explainEmptyCorpus } from '../../src/toolbox/explain-empty-corpus.ts';
import { explainFilter } from '../../src/toolbox/explain-filter.ts';
import { asOf, collections, cursor, documentIds, filters, maxCharacters, query } from '../../src/toolbox/fields.ts';
import { novelHits } from '../../src/toolbox/novel-hits.ts';
import { shortLink } from '../../src/toolbox/page-link.ts';
import {
  chunkBlock,
  joinBlocks,
  RESERVED_FOR_LINES,
  renderFitting,
  type ShownBlock,
  titleOf,
} from '../../src/toolbox/render-blocks.ts';
import { graphBlock, hitsThatFit, informativeHits, withGraphLimits } from '../../src/toolbox/render-graph.ts';
import { scopeFilter } from '../../src/toolbox/scope-filter.ts';
import { shortChunkId } from '../../src/toolbox/short-id.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';

/** Highest rank that paging can reach. */
const MAX_RANK = 100;
/** Share of the result's characters that is reserved for graph hits. */
const GRAPH_SHARE = 0.06;
const MAX_NAMED_CHUNKS = 5;
const DEFAULT_LENGTH = 8_000;

const input = z.object({
  query,
  mode: z
    .enum(['semantic', 'full_text', 'hybrid'])
    .optional()
    .describe('semantic: by meaning; full_text: by words; hybrid: both (default: what suits the corpus)'),
  document_ids: documentIds,
  collections,
  filters,
  limit: z
    .number()
    .int()
    .min(1)
    .max(50)
    .optional()
    .describe('How many to return (1 to 50; default: the limit of the request, otherwise 10)'),
  max_per_document: z.number().int().min(1).max(50).optional().describe('Maximum number of passages of one document'),
  as_of: asOf,
  cursor,
  max_chars: maxCharacters(DEFAULT_LENGTH)
    .unwrap()
    .optional()
    .describe(
      `Maximum length of the result in characters (500 to 40000, default ${DEFAULT_LENGTH}). If given, passages are returned whole`,
    ),
});

export const searchFileKnowledge = defineTool({
  name: 'search_file_knowledge',
  title: 'Search documents',
  description:
    'Find the passages of the ingested documents that best answer a question. Returns numbered passages, each with title, page, heading and a short identifier, and how much of the question they cover. Cite a passage by its number, as in [1]; a number stays the same in later results and is accepted wherever an identifier is. Use it first whenever the documents may contain the answer. To read around a passage use content with around_chunk_id; for a whole text use get_file_content.',
  input,
  output: z.object({
    query: z.string(),
    mode: z.string(),
    results: z.array(
      z.object({
        rank: z.number().int(),
        marker: z.string(),
        chunk_id: z.string(),
        document_id: z.string(),
        document_type: z.string().optional(),
        title: z.string(),
        text: z.string(),
        missing_chars: z.number().int().optional(),
        score: z.number(),
        semantic_rank: z.number().int().optional(),
        full_text_rank: z.number().int().optional(),
        page: z.number().int().optional(),
        heading_path: z.array(z.string()),
        start_char: z.number().int(),
        end_char: z.number().int(),
        link: z.string().optional().describe('The page of the document with the passage marked'),
        version: z.string().optional(),
        published_at: z.string().optional(),
        trust: z.literal('corpus'),
      }),
    ),
    graph: z
      .array(
        z.object({
          marker: z.string(),
          type: z.enum(['entity', 'relationship', 'community']),
          text: z.string(),
          document_ids: z.array(z.string()),
          chunk_ids: z.array(z.string()),
          document_id: z.string().optional(),
          document_type: z.string().optional(),
          chunk_id: z.string().optional(),
          page: z.number().int().optional(),
          start_char: z.number().int().optional(),
          end_char: z.number().int().optional(),
        }),
      )
      .optional(),
    coverage: z.object({ score: z.number(), missing_words: z.array(z.string()) }).optional(),
    next_cursor: z.string().optional(),
    notes: z.array(z.string()),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  deadline: 10_000,

  async execute(input, context) {
    const at = contextAsOf(context, input.as_of);
    const { settings, pageOrigin } = at;
    const scope = cursorScope(input);
    const offset = readCursor(input.cursor, ...scope);
    const { chunks, graph = [], explanation } = await searchFirstRanks(input, at, offset);
    const ranked = atMostPerDocument(chunks, input.max_per_document ?? Number.POSITIVE_INFINITY);
    const page = ranked.slice(offset, offset + (input.limit ?? settings.limit));
    const { shown, facts } = await fitIntoResult({ input, context: at, page, graph });
    const end = offset + shown.length;
    const next = ranked.length > end && shown.length > 0 ? writeCursor(end, ...scope) : undefined;
    const { coverage } = explanation;
    const lines = [
      ...(usesExcerpts(input, at) && shown.some(({ missing }) => missing > 0) ? [ABOUT_EXCERPTS] : []),
      ...(pageOrigin === undefined ? [] : shown.slice(0, 1).map(({ item }) => linkLine(pageOrigin, item))),
      ...coverageLine(shown.length === 0 ? null : coverage),
      continuation(next, end),
    ];
    return {
      text: [
        shown.length === 0 ? await explainNothing(input, context, offset) : joinBlocks(shown),
        ...(facts.length === 0 ? [] : [joinBlocks(facts)]),
        lines.join('\n'),
      ].join('\n\n'),
      structured: {
        query: input.query,
        mode: explanation.kind,
        results: shown.map((block, index) => toResult(block, offset + index + 1, pageOrigin)),
        ...(facts.length === 0 ? {} : { graph: facts.map(({ item, number, text }) => toFact(item, number, text)) }),
        ...(coverage ? { coverage: { score: coverage.score, missing_words: [...coverage.missing] } } : {}),
        ...(next === undefined ? {} : { next_cursor: next }),
        notes: [...explanation.notes],
      },
      sources: [
        ...shown.map(({ item: chunk }) => ({ kind: 'chunk' as const, chunk })),
        ...facts.map(({ item: hit }) => ({ kind: 'graph' as const, hit })),
      ],
    };
  },
});

type Input = z.output<typeof input>;

/** The arguments a cursor is bound to: all that determine which passages are found and in which order. */
const cursorScope = (input: Input) =>
  [
    input.query,
    input.mode ?? null,
    input.document_ids ?? null,
    input.collections ?? null,
    input.filters ?? null,
    input.max_per_document ?? null,
    input.as_of ?? null,
  ] as const;

async function searchFirstRanks(input: Input, context: ToolContext, offset: number): Promise<SearchOutcome> {
  const { retriever, settings, signal } = context;
  const graph = withGraphLimits(settings.graph);
  return retriever.search(
    input.query,
    {
      ...settings,
      ...(input.mode === undefined ? {} : { kind: input.mode }),
      filter: allOf(settings.filter, await scopeFilter(input, 'document_id', context)),
      // Every page searches to the same depth, because the depth of the legs influences the fused order.
      limit: Math.min(MAX_RANK, settings.hybrid.fullTextLimit ?? MAX_RANK),
      graph: { ...graph, enabled: graph.enabled && offset === 0 },
      explain: true,
    },
    signal,
  );
}

const usesExcerpts = (input: Input, context: ToolContext): boolean =>
  context.usesExcerpts === true && input.max_chars === undefined;

interface FitParts {
  readonly input: Input;
  readonly context: ToolContext;
  readonly page: readonly ScoredChunk[];
  readonly graph: readonly GraphHit[];
}

/** Picks the passages that fit, and the graph hits that fit their share and add information to the passages. */
async function fitIntoResult({ input, context, page, graph }: FitParts) {
  const { cite, maxCharacters, shownTexts } = context;
  const available = Math.min(input.max_chars ?? DEFAULT_LENGTH, maxCharacters) - RESERVED_FOR_LINES;
  const informative = informativeHits(graph);
  const availableForGraph = informative.length === 0 ? 0 : Math.floor(available * GRAPH_SHARE);
  // Loaded lazily: the first reply of an MCP server needs no text analysis.
  const excerpts = usesExcerpts(input, context)
    ? (await import('../../src/retrieval/excerpts.ts')).excerptsOf(
        page.map(({ text }) => text),
        input.query,
      )
    : [];
  const renderPage = (characters: number) =>
    renderFitting<ScoredChunk>(page, {
      maxCharacters: characters,
      block: (chunk) => chunkBlock(chunk, excerpts[page.indexOf(chunk)]),
      cite: (chunk) => cite({ kind: 'chunk', chunk }),
    });
  const besideGraph = renderPage(available - availableForGraph);
  const texts = [...besideGraph.map(({ item }) => item.text), ...(shownTexts?.() ?? [])];
  const facts = renderFitting(hitsThatFit(novelHits(informative, texts), availableForGraph), {
    maxCharacters: availableForGraph,
    block: graphBlock,
    cite: (hit) => cite({ kind: 'graph', hit }),
  });
  return { shown: facts.length === 0 && availableForGraph > 0 ? renderPage(available) : besideGraph, facts };
}

const toResult = (
  { item: chunk, number, text, missing }: ShownBlock<ScoredChunk>,
  rank: number,
  pageOrigin: string | undefined,
) => ({
  rank,
  marker: `[${number}]`,
  chunk_id: chunk.id,
  document_id: chunk.documentId,
  ...typeField(documentTypeOf(chunk)),
  title: titleOf(chunk),
  text,
  ...(missing === 0 ? {} : { missing_chars: missing }),
  score: chunk.score,
  ...(chunk.semantic === undefined ? {} : { semantic_rank: chunk.semantic.rank }),
  ...(chunk.fullText === undefined ? {} : { full_text_rank: chunk.fullText.rank }),
  ...(chunk.page === null ? {} : { page: chunk.page }),
  heading_path: [...chunk.headingPath],
  start_char: chunk.start,
  end_char: chunk.end,
  ...(pageOrigin !== undefined && { link: `${pageOrigin}${addressOfSource({ kind: 'chunk', chunk }, [chunk])}` }),
  ...(chunk.version === undefined ? {} : { version: chunk.version }),
  ...(chunk.publishedAt == null ? {} : { published_at: chunk.publishedAt }),
  trust: 'corpus' as const,
});

const typeField = (type: string | undefined) => (type === undefined ? {} : { document_type: type });

async function explainNothing(input: Input, context: ToolContext, offset: number): Promise<string> {
  return (
    (await explainEmptyCorpus(context)) ?? (await explainFilter(input.filters ?? {}, context)) ?? nothingFound(offset)
  );
}

const ABOUT_EXCERPTS = '… marks excerpts; content with around_chunk_id shows the whole passage.';
/** Shows by example how to link to a passage; the server redirects short identifiers. */
const linkLine = (origin: string, chunk: ScoredChunk): string =>
  `Link to a passage by its identifier: ${shortLink(origin, shortChunkId(chunk))}`;

const MAX_MISSING = 8;

/** Reports in one line how well the hits cover the query, and which of its terms they lack. */
function coverageLine(coverage: Coverage | null | undefined): string[] {
  if (!coverage) return [];
  const missing = coverage.missing.slice(0, MAX_MISSING).join(', ');
  return [`Coverage ${coverage.score.toFixed(2)}${missing === '' ? '' : `; in no passage: ${missing}`}.`];
}

const toFact = (hit: GraphHit, number: number, text: string) => ({
  marker: `[${number}]`,
  type: hit.found.kind,
  text,
  document_ids: hit.documents.map(({ id }) => id),
  chunk_ids: hit.chunkIds.slice(0, MAX_NAMED_CHUNKS),
  ...(hit.sentence && {
    document_id: hit.sentence.documentId,
    ...typeField(hit.sentence.documentType),
    chunk_id: hit.sentence.chunkId,
    ...(hit.sentence.page === null ? {} : { page: hit.sentence.page }),
    start_char: hit.sentence.start,
    end_char: hit.sentence.start + hit.sentence.text.length,
  }),
});

function atMostPerDocument<T extends { readonly documentId: string }>(chunks: readonly T[], max: number): T[] {
  const counts = new Map<string, number>();
  return chunks.filter(({ documentId }) => {
    const count = (counts.get(documentId) ?? 0) + 1;
    counts.set(documentId, count);
    return count <= max;
  });
}

const nothingFound = (offset: number): string =>
  offset === 0
    ? 'No passage matches. Try other words, a looser filter, or search_file_descriptions to see what documents there are.'
    : 'There are no more passages.';

const continuation = (next: string | undefined, end: number): string =>
  next === undefined
    ? `End of results (${end}).`
    : `More: call search_file_knowledge again with the same arguments and cursor="${next}".`;
