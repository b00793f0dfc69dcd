import { z } from 'zod';
import type { SourcedDocument } from '../ingest/folders/folder-target.ts';
import type {
  ChunkRecord,
  CitedAnswer,
  CitedSource,
  DeletionRecord,
  DocumentRecord,
  SearchQuery,
  SearchResult,
  Status,
  VersionRecord,
} from './client.ts';

// Records of the HTTP interface as commands show them. Unknown members are ignored.

const metadata = z.record(z.string(), z.json());
const locationFields = { page: z.number().nullable().default(null), heading_path: z.array(z.string()).default([]) };

const chunk = z.object({
  id: z.string(),
  document_id: z.string(),
  text: z.string(),
  start: z.number().nullable().default(null),
  end: z.number().nullable().default(null),
  ...locationFields,
  score: z.number().nullish(),
  version: z.string().nullish(),
  metadata,
  explain: z.json().optional(),
});

const toChunkRecord = (wire: z.output<typeof chunk>): ChunkRecord => ({
  id: wire.id,
  documentId: wire.document_id,
  title: titleOf(wire),
  text: wire.text,
  score: wire.score ?? 0,
  page: wire.page,
  headingPath: wire.heading_path,
  start: wire.start,
  end: wire.end,
  ...(typeof wire.version === 'string' && { version: wire.version }),
  metadata: wire.metadata,
  ...(wire.explain !== undefined && { explain: wire.explain }),
});

function titleOf({
  metadata: { title },
  document_id: id,
}: {
  metadata: z.output<typeof metadata>;
  document_id: string;
}) {
  return typeof title === 'string' && title !== '' ? title : id;
}

/** A page of a document's chunks. */
export const chunksFromWire = (results: unknown): ChunkRecord[] => z.array(chunk).parse(results).map(toChunkRecord);

const searchResults = z.object({
  chunk_search_results: z.array(chunk),
  explanation: z.json().optional(),
  notes: z.array(z.string()).optional(),
});

export function searchFromWire(results: unknown): SearchResult {
  const { chunk_search_results: hits, explanation, notes = [] } = searchResults.parse(results);
  return { chunks: hits.map(toChunkRecord), notes, ...(explanation !== undefined && { explanation }) };
}

const quote = z.object({ text: z.string(), start: z.number(), end: z.number(), ...locationFields });
const citation = z.object({
  id: z.templateLiteral(['cit.', z.number()]),
  verdict: z.enum(['verbatim', 'close', 'elsewhere', 'not_found']).optional(),
  spans: z.array(z.object({ start: z.number(), end: z.number() })).default([]),
  source_type: z.string().default('chunk'),
  payload: z.looseObject({
    id: z.string(),
    text: z.string().optional(),
    document_id: z.string().optional(),
    title: z.string().optional(),
    metadata: metadata.default({}),
    url: z.string().optional(),
    quotes: z.array(quote).default([]),
  }),
});
const finalAnswer = z.object({
  generated_answer: z.string(),
  mode: z.string(),
  support: z.string().optional(),
  model: z.string(),
  citations: z.array(citation),
  removed_markers: z.number().default(0),
});

export function answerFromWire(data: unknown): CitedAnswer {
  const wire = finalAnswer.parse(data);
  return {
    text: wire.generated_answer,
    mode: wire.mode,
    ...(wire.support !== undefined && { support: wire.support }),
    model: wire.model,
    citations: wire.citations.map(toSource),
    removedMarkers: wire.removed_markers,
  };
}

function toSource({ id, verdict, spans, source_type: type, payload }: z.output<typeof citation>): CitedSource {
  const documentId = payload.document_id ?? payload.id;
  return {
    number: Number(id.slice('cit.'.length)),
    documentId,
    title: payload.title ?? titleOf({ metadata: payload.metadata, document_id: documentId }),
    quotes: payload.quotes.map(({ heading_path: headingPath, ...rest }) => ({ ...rest, headingPath })),
    ...(verdict !== undefined && { verdict }),
    spans,
    ...(payload.url !== undefined && { url: payload.url }),
    ...(payload.text !== undefined && { text: payload.text }),
    isOfDocument: type === 'chunk' || type === 'doc',
  };
}

const completion = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string().nullable() }) })], z.unknown()),
});

/** What a model said. */
export const completionFromWire = (results: unknown): string =>
  completion.parse(results).choices[0].message.content ?? '';

/** A stretch of a document's text. */
export const textFromWire = (results: unknown): string => z.object({ text: z.string() }).parse(results).text;

const delta = z.object({
  delta: z.object({ content: z.array(z.object({ payload: z.object({ value: z.string() }) })) }),
});

/** The text of a `message` or `thinking` event. */
export const deltaFromWire = (data: unknown): string =>
  delta
    .parse(data)
    .delta.content.map(({ payload }) => payload.value)
    .join('');

const document = z
  .object({
    id: z.string(),
    title: z.string(),
    document_type: z.string(),
    ingestion_status: z.string(),
    size_in_bytes: z.number(),
    collection_ids: z.array(z.string()),
    metadata,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .catchall(z.json());

const sourced = z.object({
  id: z.string(),
  source: z.string(),
  content_hash: z.string(),
  ingestion_status: z.string(),
});

export function sourcedFromWire(record: unknown): SourcedDocument {
  const { id, source, content_hash: contentHash, ingestion_status: status } = sourced.parse(record);
  return { id, source, contentHash, status };
}

export const documentFromWire = (record: unknown): DocumentRecord => document.parse(record);

const status = z.object({
  version: z.string(),
  model: z.string(),
  embedder: z.string(),
  embedder_reason: z.string().optional(),
  web: z
    .object({
      search: z.array(z.string()),
      browser: z.string().nullable(),
      robots: z.boolean(),
      opened: z.number(),
    })
    .optional(),
  data: z.string(),
  index: z.object({ kind: z.string(), state: z.string() }),
  hints: z.array(z.string()),
  documents: z.record(z.string(), z.number()),
  chunks: z.number(),
  owed_to_index: z.number(),
  graph: z.object({ waiting: z.number(), failed: z.number() }).optional(),
  ingestion: z
    .object({
      queued: z.number(),
      retrying: z.number(),
      running: z.number(),
      failed: z.number(),
      rate_per_second: z.number(),
      eta_seconds: z.number().nullable(),
    })
    .optional(),
});

export function statusFromWire(record: unknown): Status {
  const { documents, chunks, owed_to_index, ...service } = status.parse(record);
  const { failed = 0, ...others } = documents;
  const total = Object.values(documents).reduce((sum, number) => sum + number, 0);
  const done = (others['success'] ?? 0) + (others['enriching'] ?? 0);
  return { ...service, corpus: { documents: total, failed, unfinished: total - failed - done, chunks, owed_to_index } };
}

const version = z.object({
  version: z.string(),
  published_at: z.string(),
  replaced_at: z.string().nullable(),
  title: z.string(),
  size_in_bytes: z.number(),
  chunk_count: z.number(),
  content_hash: z.string(),
  retired: z.looseObject({ at: z.string() }).nullable(),
});

export const versionFromWire = (record: unknown): VersionRecord => version.parse(record);

const receipt = z.object({
  chunks: z.number(),
  vectors: z.number(),
  full_text_entries: z.number(),
  files: z.number(),
  graph_rows: z.number().optional(),
  versions: z.number().optional(),
  past_chunks: z.number().optional(),
  index: z.object({ removed: z.number(), state: z.string() }).optional(),
  verified: z.union([z.boolean(), z.literal('pending')]).optional(),
});

export const receiptFromWire = (record: unknown): DeletionRecord => receipt.parse(record);

/** The members of a search or RAG request that a query means. */
export function toWireQuery({
  query,
  filters,
  limit,
  mode,
  asOf,
  ...rest
}: Omit<SearchQuery, 'offset' | 'explain'> & Partial<SearchQuery>) {
  const kinds = {
    semantic: { use_semantic_search: true, use_fulltext_search: false },
    full_text: { use_semantic_search: false, use_fulltext_search: true },
    hybrid: { use_hybrid_search: true },
  };
  return {
    query,
    ...(mode === 'advanced' && { search_mode: 'advanced' }),
    search_settings: {
      filters,
      limit,
      offset: rest.offset ?? 0,
      explain: rest.explain ?? false,
      ...(asOf !== undefined && { as_of: asOf }),
      ...(mode !== undefined && mode !== 'advanced' && kinds[mode]),
    },
  };
}
