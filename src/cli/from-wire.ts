import { z } from 'zod';
import { verdicts } from '../citations/verdict.ts';
import { documentTypeOf } from '../documents/chunk.ts';
import type { ingestionRecord } from '../http/wire/ingestion-record.ts';
import type { SourcedDocument } from '../ingest/folders/folder-target.ts';
import type { UnchangedContent } from '../ingest/unchanged-contents.ts';

// Records of the HTTP API as commands show them; JSON output uses the names of the API. Unknown members are ignored;
// older servers may lack optional ones.

const metadata = z.record(z.string(), z.json());
const locationFields = { page: z.number().nullable().default(null), heading_path: z.array(z.string()).default([]) };

const chunk = z
  .object({
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
  })
  .transform((wire) => ({
    id: wire.id,
    documentId: wire.document_id,
    title: titleOf(wire),
    documentType: documentTypeOf(wire),
    text: wire.text,
    score: wire.score ?? 0,
    page: wire.page,
    headingPath: wire.heading_path,
    /** UTF-16 offsets into the document's extracted text; null for documents without text of their own. */
    start: wire.start,
    end: wire.end,
    ...(typeof wire.version === 'string' && { version: wire.version }),
    metadata: wire.metadata,
    /** Rank and score of each leg, if requested. */
    ...(wire.explain !== undefined && { explain: wire.explain }),
  }));

/** A search hit with what a person needs to look it up. */
export type ChunkRecord = Readonly<z.output<typeof chunk>>;

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
export const chunksFromWire = (results: unknown): ChunkRecord[] => z.array(chunk).parse(results);

const searchResults = z.object({
  chunk_search_results: z.array(chunk),
  explanation: z.json().optional(),
  notes: z.array(z.string()).optional(),
});

export type SearchResult = ReturnType<typeof searchFromWire>;

export function searchFromWire(results: unknown) {
  const { chunk_search_results: chunks, explanation, notes = [] } = searchResults.parse(results);
  return { chunks, notes, ...(explanation !== undefined && { explanation }) };
}

const verdict = z.enum(verdicts);
export type Verdict = z.output<typeof verdict>;

const quote = z.object({ text: z.string(), start: z.number(), end: z.number(), ...locationFields });
const citation = z.object({
  id: z.templateLiteral(['cit.', z.number()]),
  // Present in answers of agents only.
  verdict: verdict.optional(),
  spans: z.array(z.object({ start: z.number(), end: z.number() })).default([]),
  source_type: z.string().default('chunk'),
  payload: z.looseObject({
    id: z.string(),
    text: z.string().optional(),
    document_id: z.string().optional(),
    title: z.string().optional(),
    document_type: z.string().optional(),
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

export type CitedAnswer = ReturnType<typeof answerFromWire>;

export function answerFromWire(data: unknown) {
  const wire = finalAnswer.parse(data);
  return {
    text: wire.generated_answer,
    /** `extractive` when the answer consists of quotations and no language model wrote it. */
    mode: wire.mode,
    /** Extractive answers only: `answer`, `closest` if the quotes may not answer the question, or `none`. */
    ...(wire.support !== undefined && { support: wire.support }),
    model: wire.model,
    citations: wire.citations.map(toSource),
    /** Number of removed markers that pointed to no source. */
    removedMarkers: wire.removed_markers,
  };
}

export type CitedSource = ReturnType<typeof toSource>;

function toSource({ id, verdict: checked, spans, source_type: type, payload }: z.output<typeof citation>) {
  const documentId = payload.document_id ?? payload.id;
  return {
    /** The N of the marker `[N]`. */
    number: Number(id.slice('cit.'.length)),
    documentId,
    title: payload.title ?? titleOf({ metadata: payload.metadata, document_id: documentId }),
    documentType: payload.document_type ?? documentTypeOf(payload),
    quotes: payload.quotes.map(({ heading_path: headingPath, ...rest }) => ({ ...rest, headingPath })),
    ...(checked !== undefined && { verdict: checked }),
    /** Positions of its markers in the answer. */
    spans,
    /** URL of the web page that shows it with its quotes marked. */
    ...(payload.url !== undefined && { url: payload.url }),
    ...(payload.text !== undefined && { text: payload.text }),
    /** True for documents of the corpus, false for web pages and graph rows. */
    isOfDocument: type === 'chunk' || type === 'doc',
  };
}

const completion = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string().nullable() }) })], z.unknown()),
});

/** Text of a model's completion. */
export const completionFromWire = (results: unknown): string =>
  completion.parse(results).choices[0].message.content ?? '';

/** Part of a document's extracted text. */
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

const unchanged = z.array(
  z
    .object({ document_id: z.string(), content_hash: z.string(), size_in_bytes: z.number() })
    .transform((wire) => ({
      documentId: wire.document_id,
      contentHash: wire.content_hash,
      sizeInBytes: wire.size_in_bytes,
    }))
    .nullable(),
);

/** For each source the content that need not be sent again, if there is one. */
export const unchangedFromWire = (results: unknown): (UnchangedContent | undefined)[] =>
  unchanged.parse(results).map((content) => content ?? undefined);

export type DocumentRecord = Readonly<z.output<typeof document>>;

export const documentFromWire = (record: unknown): DocumentRecord => document.parse(record);

const backlog = z.object({
  queued: z.number(),
  /** Queued documents that wait for another attempt. */
  retrying: z.number(),
  running: z.number(),
  failed: z.number(),
  rate_per_second: z.number(),
  eta_seconds: z.number().nullable(),
});

/** The state of the ingestion queue. */
export type Backlog = Readonly<z.output<typeof backlog>>;

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
      proxy: z.string().optional(),
    })
    .optional(),
  data: z.string(),
  database: z.string().optional(),
  originals: z.object({ place: z.string(), state: z.string() }).optional(),
  processes: z
    .array(z.object({ role: z.string(), name: z.string(), version: z.string(), leads: z.boolean(), tasks: z.number() }))
    .optional(),
  index: z.object({ kind: z.string(), state: z.string() }),
  // Absent in earlier versions.
  problems: z.array(z.string()).default([]),
  hints: z.array(z.string()),
  documents: z.record(z.string(), z.number()),
  chunks: z.number(),
  pending_index_writes: z.number(),
  graph: z.object({ waiting: z.number(), failed: z.number() }).optional(),
  ingestion: backlog.optional(),
});

/** What `citewell status` shows. */
export type Status = ReturnType<typeof statusFromWire>;

export function statusFromWire(record: unknown) {
  const { documents, chunks, pending_index_writes, ...service } = status.parse(record);
  const { failed = 0, ...others } = documents;
  const total = Object.values(documents).reduce((sum, number) => sum + number, 0);
  const done = (others['success'] ?? 0) + (others['enriching'] ?? 0);
  return {
    ...service,
    corpus: { documents: total, failed, unfinished: total - failed - done, chunks, pending_index_writes },
  };
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

export type VersionRecord = Readonly<z.output<typeof version>>;

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

/** What a deletion removed. */
export type DeletionRecord = Readonly<z.output<typeof receipt>>;

export const receiptFromWire = (record: unknown): DeletionRecord => receipt.parse(record);

/** Estimated cost of contextual chunk enrichment. */
export type EnrichmentEstimate = Readonly<NonNullable<z.output<typeof ingestionRecord>['estimate']>>;
