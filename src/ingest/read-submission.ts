import { createHash } from 'node:crypto';
import type { Json, Metadata } from '../documents/document.ts';
import { documentId } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { storeContext, storeSummary } from './enrich/enrichment-settings.ts';
import type { IngestionSettings, Submission } from './ingestor.ts';
import { CHUNK_BREAK, type PreparationJob } from './preparation-job.ts';
import { detectType } from './readers/detect-type.ts';
import { typeByName } from './readers/file-types.ts';
import { checkSize } from './readers/index.ts';
import type { SplitStrategy } from './split-text.ts';

/** A validated submission in the form of the records. */
export interface ReadSubmission {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly contentHash: string;
  readonly settings: StoredSettings;
}

/** Everything needed to start or resume reading a document; stored with it as JSON. */
export type StoredSettings = Metadata & {
  readonly content: 'file' | 'text' | 'chunks';
};

const MAX_CHUNKS = 102_400;
const MAX_CHUNK_CHARACTERS = 20_000_000;

/**
 * Validates a submission and derives its type, title and identifier (docs/contract.md 3, 6.2). `maxFileBytes` replaces
 * the size limits of the formats.
 */
export async function readSubmission(submission: Submission, maxFileBytes?: number): Promise<ReadSubmission> {
  checkSettings(submission.settings);
  const given = submission.title ?? textOf(submission.metadata['title']);
  const content = await readContent(submission, given, maxFileBytes);
  refuseExcluded(content.type, submission);
  const id = (submission.id ?? documentId(content.name, submission.ownerId)).toLowerCase();
  const { bytes, type, fileName, mediaType } = content;
  return {
    id,
    type,
    title: given ?? content.title ?? `Passages ${id.slice(0, 8)}`,
    fileName: fileName ?? `${given ?? `Passages ${id.slice(0, 8)}`}.txt`,
    mediaType,
    bytes,
    contentHash: content.contentHash ?? createHash('sha256').update(bytes).digest('hex'),
    settings: {
      ...settingsToStore(submission, submission.content.kind),
      ...(content.lengths === undefined ? {} : { lengths: content.lengths }),
    },
  };
}

/** The settings stored with a document, except for the lengths of its chunks if these were given. */
export const settingsToStore = (
  { title, metadata, settings }: Omit<Submission, 'content'>,
  content: StoredSettings['content'],
): StoredSettings => ({
  content,
  ...storedSettings(settings),
  given_metadata: Object.keys(metadata),
  given_title: (title ?? textOf(metadata['title'])) !== undefined,
});

function refuseExcluded(type: string, { settings }: Submission): void {
  if (settings.excludedTypes?.some((name) => name.toLowerCase().replace(/^\./, '') === type) !== true) return;
  throw new ServiceError('unsupported_type', `Files of type ${type} are excluded here by excluded_parsers.`);
}

interface ReadContent {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly mediaType: string;
  /** The name the identifier is derived from. */
  readonly name: string;
  readonly fileName?: string;
  readonly title?: string;
  readonly lengths?: readonly number[];
  readonly contentHash?: string;
}

async function readContent(
  { content }: Submission,
  given: string | undefined,
  maxFileBytes: number | undefined,
): Promise<ReadContent> {
  switch (content.kind) {
    case 'file': {
      const { bytes, mediaType } = content;
      const fileName = content.fileName.trim() === '' ? 'unnamed' : content.fileName;
      const type = await detectType({ bytes, fileName, ...(mediaType === undefined ? {} : { mediaType }) });
      checkSize(type, { bytes, fileName }, maxFileBytes);
      return {
        bytes,
        type: type.type,
        mediaType: type.mediaTypes[0],
        name: given ?? fileName,
        fileName,
        title: fileName,
        ...(content.contentHash !== undefined && { contentHash: content.contentHash }),
      };
    }
    case 'text': {
      if (content.text.trim() === '')
        throw new ServiceError('invalid_request', 'The raw text is empty. Send some text.');
      const bytes = new TextEncoder().encode(content.text);
      const fileName = `${given ?? 'N/A'}.txt`;
      const plain = typeByName('txt');
      if (plain !== undefined) checkSize(plain, { bytes, fileName: 'The raw text' }, maxFileBytes);
      return { bytes, type: 'txt', mediaType: 'text/plain', name: content.text, fileName, title: 'N/A' };
    }
    case 'chunks': {
      const chunks = readChunks(content.chunks);
      const bytes = new TextEncoder().encode(chunks.join(CHUNK_BREAK));
      const lengths = chunks.map(({ length }) => length);
      return { bytes, type: 'txt', mediaType: 'text/plain', name: content.chunks.join(''), lengths };
    }
  }
}

function readChunks(given: readonly string[]): string[] {
  if (given.length > MAX_CHUNKS)
    throw new ServiceError('too_large', `${given.length} chunks were sent; at most ${MAX_CHUNKS} make a document.`);
  // Lone surrogates and NULs cannot be encoded or stored everywhere, and would shift all later offsets.
  const chunks = given.map((chunk) => chunk.toWellFormed().replaceAll('\0', '')).filter((chunk) => chunk.trim() !== '');
  if (chunks.length === 0)
    throw new ServiceError('invalid_request', 'There is no text in the chunks. Send at least one that is not empty.');
  const characters = chunks.reduce((sum, { length }) => sum + length, 0);
  if (characters > MAX_CHUNK_CHARACTERS) {
    throw new ServiceError(
      'too_large',
      `The chunks have ${characters} characters together; at most ${MAX_CHUNK_CHARACTERS} make a document.`,
    );
  }
  return chunks;
}

function checkSettings({ chunkSize, chunkOverlap, context, summary }: IngestionSettings): void {
  for (const [name, value] of [
    ['n_chunks', context === false ? undefined : context?.neighbours],
    ['chunks_for_document_summary', summary?.chunks],
    ['document_summary_max_length', summary?.characters],
  ] as const) {
    if (value === undefined || (Number.isInteger(value) && value >= 0)) continue;
    throw new ServiceError('invalid_request', `${name} is ${value}; it must be a whole number, 0 or more.`);
  }
  if (chunkSize !== undefined && (!Number.isInteger(chunkSize) || chunkSize < 1)) {
    throw new ServiceError('invalid_request', `chunk_size is ${chunkSize}; it must be a whole number above 0.`);
  }
  if (chunkOverlap !== undefined && (!Number.isInteger(chunkOverlap) || chunkOverlap < 0)) {
    throw new ServiceError(
      'invalid_request',
      `chunk_overlap is ${chunkOverlap}; it must be a whole number, 0 or more.`,
    );
  }
  if (chunkOverlap !== undefined && chunkOverlap >= (chunkSize ?? 1_024)) {
    throw new ServiceError(
      'invalid_request',
      `chunk_overlap (${chunkOverlap}) must be smaller than chunk_size (${chunkSize ?? 1_024}).`,
    );
  }
}

const storedSettings = ({
  chunkSize,
  chunkOverlap,
  skipSummary,
  automaticExtraction,
  chunkingStrategy,
  summary,
  context,
}: IngestionSettings): Metadata => ({
  ...(chunkingStrategy === undefined ? {} : { chunking_strategy: chunkingStrategy }),
  ...(summary === undefined ? {} : { summary_settings: storeSummary(summary) }),
  ...(context === undefined || context === false ? {} : { enrichment: storeContext(context) }),
  ...(automaticExtraction === undefined ? {} : { automatic_extraction: automaticExtraction }),
  ...(chunkSize === undefined ? {} : { chunk_size: chunkSize }),
  ...(chunkOverlap === undefined ? {} : { chunk_overlap: chunkOverlap }),
  ...(skipSummary === undefined ? {} : { skip_summary: skipSummary }),
});

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** The job described by stored settings. */
export function toPreparationJob(
  document: { readonly fileName: string; readonly type: string },
  bytes: Uint8Array,
  settings: Metadata,
): PreparationJob {
  const {
    chunking_strategy: strategy,
    chunk_size: size,
    chunk_overlap: overlap,
    skip_summary: skipSummary,
    content,
    lengths,
  } = settings;
  return {
    bytes,
    fileName: document.fileName,
    type: document.type,
    content:
      content === 'chunks'
        ? { kind: content, lengths: numbers(lengths) }
        : { kind: content === 'text' ? 'text' : 'file' },
    split: {
      ...(isStrategy(strategy) && { strategy }),
      ...(typeof size === 'number' && { chunkSize: size }),
      ...(typeof overlap === 'number' && { chunkOverlap: overlap }),
    },
    skipSummary: skipSummary === true,
  };
}

const isStrategy = (value: Json | undefined): value is SplitStrategy =>
  value === 'recursive' || value === 'character' || value === 'structure';

const numbers = (value: Json | undefined): number[] =>
  Array.isArray(value) ? value.filter((member) => typeof member === 'number') : [];
