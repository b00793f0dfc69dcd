import { z } from 'zod';
import type { Principal } from '../../access/principal.ts';
import { ServiceError } from '../../errors.ts';
import type { Submission, SubmittedContent } from '../../ingest/ingestor.ts';
import { checkShape, invalidField } from '../check-shape.ts';
import { parseJson } from '../read-request.ts';
import type { Upload } from '../receive-upload.ts';
import { ignoredSettingsNote, ingestionConfig, toIngestionSettings } from './ingestion-config.ts';
import { optional } from './tolerant.ts';

const MAX_CHUNKS = 102_400;

/** A member that is JSON text in a form field, or a plain value in a JSON body. */
const json = <Schema extends z.ZodType>(name: string, schema: Schema) =>
  z.preprocess((value) => (typeof value === 'string' ? parseJson(value, ['body', name]) : value), schema);

const givenId = z.guid('This must be a UUID.').toLowerCase();

/** An id, a list of ids, or such a list as JSON text. */
const ids = z.preprocess((value) => {
  if (typeof value !== 'string') return value;
  return value.trim().startsWith('[') ? parseJson(value, ['body', 'collection_ids']) : [value];
}, z.array(givenId));

const flag = z.union([z.boolean(), z.stringbool()]);

/** The fields of POST /documents (docs/contract.md 6.2). */
export const submissionFields = z.object({
  raw_text: optional(z.string()),
  chunks: optional(json('chunks', z.array(z.string()).min(1))),
  id: optional(givenId),
  collection_ids: optional(ids),
  metadata: optional(json('metadata', z.record(z.string(), z.json()))),
  ingestion_mode: optional(z.enum(['fast', 'hi-res', 'ocr', 'custom'])),
  ingestion_config: optional(json('ingestion_config', ingestionConfig)),
  run_with_orchestration: optional(flag),
  // Addition: `estimate` returns the expected cost of model calls and stores nothing.
  run_type: optional(z.enum(['run', 'estimate'])),
  // Additions: collections by name, the source of the content, whether it replaces the document with the same id, and
  // whether its ingestion is queued.
  collections: optional(json('collections', z.array(z.string().trim().min(1).max(200)))),
  source: optional(z.url({ protocol: /^(file|https?)$/, error: 'This must be a file: or http(s): URL.' })),
  replace: optional(flag),
  url: optional(z.url({ protocol: /^https?$/, error: 'This must be an http or https address.' })).describe(
    'A page or file that the service fetches. It takes the place of what was fetched from there before.',
  ),
  queued: optional(flag).describe(
    'True responds with the task as soon as the content is stored, whatever is configured.',
  ),
});

export interface ReadUpload {
  readonly submission: Submission;
  /** False waits for the end of the ingestion, regardless of the configuration. */
  readonly isOrchestrated: boolean | undefined;
  /** Whether to queue the work; undefined leaves that to `isOrchestrated` and the configuration. */
  readonly isQueued: boolean | undefined;
  /** Whether only the cost is estimated. */
  readonly isEstimate: boolean;
  /** A sentence about settings that are not applied as requested; undefined if all are. */
  readonly note: string | undefined;
}

/** The URL to fetch the content from; undefined without one. Throws `invalid_field` if there is other content too. */
export function readUrl({ fields, file }: Upload): string | undefined {
  const { url, raw_text: text, chunks } = checkShape(submissionFields, fields, 'body');
  if (url === undefined || (file ?? (text || undefined) ?? chunks) === undefined) return url;
  throw notExactlyOne('url and other content');
}

/**
 * Converts an upload, whose URL has already been fetched, to a submission. Its collections are still ids or names.
 * Throws `invalid_field` unless there is exactly one of file, `raw_text` and `chunks`.
 */
export function readSubmission(upload: Upload, principal: Principal): ReadUpload {
  const wire = checkShape(submissionFields, upload.fields, 'body');
  const chunkCount = wire.chunks?.length ?? 0;
  if (chunkCount > MAX_CHUNKS) {
    throw new ServiceError('invalid_request', `These are ${chunkCount} chunks; send at most ${MAX_CHUNKS} at once.`);
  }
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
    settings: toIngestionSettings(wire.ingestion_mode, wire.ingestion_config ?? {}),
  };
  return {
    submission,
    isOrchestrated: wire.run_with_orchestration,
    isQueued: wire.queued,
    isEstimate: wire.run_type === 'estimate',
    note: ignoredSettingsNote(wire.ingestion_mode, wire.ingestion_config ?? {}),
  };
}

function contentOf({ file }: Upload, wire: z.output<typeof submissionFields>): SubmittedContent {
  const contents: SubmittedContent[] = [];
  if (file !== undefined) contents.push({ kind: 'file', ...file });
  if (wire.raw_text !== undefined && wire.raw_text !== '') contents.push({ kind: 'text', text: wire.raw_text });
  if (wire.chunks !== undefined) contents.push({ kind: 'chunks', chunks: wire.chunks });
  const [content] = contents;
  if (content !== undefined && contents.length === 1) return content;
  const given = contents.map(({ kind }) => (kind === 'text' ? 'raw_text' : kind)).join(' and ');
  throw notExactlyOne(given === '' ? 'none of them' : given);
}

const notExactlyOne = (given: string) =>
  invalidField('value_error', ['body'], `Send exactly one of file, raw_text, chunks and url; this has ${given}.`);
