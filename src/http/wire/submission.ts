import { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import type { IngestionSettings, Submission, SubmittedContent } from '../../ingest/ingestor.ts';
import { checkShape, invalidField } from '../check-shape.ts';
import { parseJson } from '../read-body.ts';
import type { Upload } from '../receive-upload.ts';
import { defined, optional, snakeCased } from './tolerant.ts';

const MAX_CHUNKS = 102_400;

/** A member that is JSON inside a text field, or already a value in a JSON body. */
const json = <Schema extends z.ZodType>(name: string, schema: Schema) =>
  z.preprocess((value) => (typeof value === 'string' ? parseJson(value, ['body', name]) : value), schema);

const id = z.guid('This must be a UUID.').toLowerCase();

/** One identifier, a list of them, or such a list as JSON. */
const ids = z.preprocess((value) => {
  if (typeof value !== 'string') return value;
  return value.trim().startsWith('[') ? parseJson(value, ['body', 'collection_ids']) : [value];
}, z.array(id));

const flag = z.union([z.boolean(), z.stringbool()]);

const ingestionConfig = snakeCased(
  z.object({
    chunk_size: optional(z.number().int().min(1)),
    chunk_overlap: optional(z.number().int().min(0)),
    skip_document_summary: optional(z.boolean()),
    automatic_extraction: optional(z.boolean()),
  }),
);

/** The fields of POST /documents (r2r-v3.md 6.2). */
export const submissionFields = z.object({
  raw_text: optional(z.string()),
  chunks: optional(json('chunks', z.array(z.string()).min(1).max(MAX_CHUNKS))),
  id: optional(id),
  collection_ids: optional(ids),
  metadata: optional(json('metadata', z.record(z.string(), z.json()))),
  ingestion_mode: optional(z.enum(['fast', 'hi-res', 'ocr', 'custom'])),
  ingestion_config: optional(json('ingestion_config', ingestionConfig)),
  run_with_orchestration: optional(flag),
  // Ours: collections by name, where the content came from, and that it takes the place of what has its identifier.
  collections: optional(json('collections', z.array(z.string().trim().min(1).max(200)))),
  source: optional(z.url({ protocol: /^(file|https?)$/, error: 'This must be a file: or http(s): URL.' })),
  replace: optional(flag),
});

export interface ReadUpload {
  readonly submission: Submission;
  /** Whether to answer before the ingestion is done; undefined means as configured. */
  readonly isOrchestrated: boolean | undefined;
}

/** An upload as what the ingestor takes, its collections still by id or name. Exactly one of file, raw_text and chunks, else `invalid_field`. */
export function readSubmission(upload: Upload, principal: Principal): ReadUpload {
  const wire = checkShape(submissionFields, upload.fields, 'body');
  const title = wire.metadata?.['title'];
  const submission: Submission = {
    content: contentOf(upload, wire),
    ownerId: principal.userId,
    ...(wire.id === undefined ? {} : { id: wire.id }),
    ...(typeof title === 'string' && title.trim() !== '' ? { title } : {}),
    metadata: wire.metadata ?? {},
    collectionIds: [...(wire.collection_ids ?? []), ...(wire.collections ?? [])],
    ...(wire.source === undefined ? {} : { source: wire.source }),
    ...(wire.replace === undefined ? {} : { replace: wire.replace }),
    settings: settingsOf(wire),
  };
  return { submission, isOrchestrated: wire.run_with_orchestration };
}

function contentOf({ file }: Upload, wire: z.output<typeof submissionFields>): SubmittedContent {
  const contents: SubmittedContent[] = [];
  if (file !== undefined) contents.push({ kind: 'file', ...file });
  if (wire.raw_text !== undefined && wire.raw_text !== '') contents.push({ kind: 'text', text: wire.raw_text });
  if (wire.chunks !== undefined) contents.push({ kind: 'chunks', chunks: wire.chunks });
  const [content] = contents;
  if (content !== undefined && contents.length === 1) return content;
  const given = contents.map(({ kind }) => kind).join(' and ');
  throw invalidField(
    'value_error',
    ['body'],
    `Send exactly one of file, raw_text and chunks; this has ${given === '' ? 'none of them' : given}.`,
  );
}

/** Only the fast mode does without a summary. */
function settingsOf({
  ingestion_mode: mode,
  ingestion_config: config,
}: z.output<typeof submissionFields>): IngestionSettings {
  const {
    chunk_size,
    chunk_overlap,
    skip_document_summary,
    automatic_extraction,
  }: Partial<z.output<typeof ingestionConfig>> = config ?? {};
  return defined({
    chunkSize: chunk_size,
    chunkOverlap: chunk_overlap,
    automaticExtraction: automatic_extraction,
    skipSummary: skip_document_summary ?? (mode === 'fast' ? true : undefined),
  });
}
