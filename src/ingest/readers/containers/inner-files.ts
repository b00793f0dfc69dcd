import type { Json, Metadata } from '../../../documents/document.ts';
import { ServiceError } from '../../../errors.ts';
import type { Composition } from '../compose-documents.ts';
import { cleanText } from '../encoding/clean-text.ts';
import type { ReadDocument, ReaderInput } from '../reader.ts';
import { type NestingBudget, NestingBudgetExceeded } from './nesting-budget.ts';

/** A file nested in another. */
export interface InnerFile {
  /** Used as a label and to detect the format: nothing is looked up or written by it. */
  readonly name: string;
  /** What people call it, where that differs from `name`. */
  readonly label?: string;
  readonly mediaType?: string;
  /** Its bytes; undefined when there are more than `maxBytes`. Throws ServiceError when they cannot be extracted. */
  bytes(maxBytes: number): Uint8Array | undefined;
}

export interface UnreadFile {
  readonly name: string;
  readonly reason: string;
}

export interface InnerReading {
  readonly composition: Composition;
  readonly input: Pick<ReaderInput, 'signal' | 'readImage' | 'readNested'>;
  readonly budget: NestingBudget;
  /** Level of the heading that names each file. */
  readonly level: number;
}

export interface ReadInnerFiles {
  readonly read: readonly string[];
  readonly unread: readonly UnreadFile[];
}

/**
 * Reads nested files, each with the reader of its format, and adds them as sections under their names. A file that
 * cannot be read is left out and reported with the reason. Throws `NestingBudgetExceeded` and temporary errors.
 */
export async function addInnerFiles(files: readonly InnerFile[], reading: InnerReading): Promise<ReadInnerFiles> {
  const { composition, level, input } = reading;
  const read: string[] = [];
  const unread: UnreadFile[] = [];
  for (const file of files) {
    input.signal.throwIfAborted();
    const name = labelOf(file.label ?? file.name);
    try {
      const document = await readInner(file, reading);
      if (document.text.trim() === '') throw new ServiceError('invalid_request', 'It holds no text.');
      composition.add('heading', name, level);
      if (!containsTitle(document, name)) composition.add('paragraph', document.title ?? '');
      composition.append(document, level);
      read.push(name);
      unread.push(...unreadWithin(document.metadata, name));
    } catch (error) {
      if (!isOfTheFile(error)) throw error;
      unread.push({ name, reason: reasonOf(error) });
    }
  }
  return { read, unread };
}

/** Whether the name or the beginning of a file already contains its title. */
function containsTitle({ title = '', text, blocks }: ReadDocument, name: string): boolean {
  const beginning = blocks[0]?.label ?? text;
  return beginning.startsWith(title) || name.includes(title) || text.slice(0, 1_000).includes(title);
}

async function readInner(file: InnerFile, { input, budget }: InnerReading): Promise<ReadDocument> {
  const bytes = file.bytes(budget.bytesLeft);
  if (bytes === undefined) throw budget.exceeded();
  budget.take(bytes.length);
  const path = labelOf(file.name);
  const fileName = path.split('/').at(-1) ?? path;
  const { signal, readImage, readNested } = input;
  const { mediaType } = file;
  return readNested(
    { bytes, fileName, signal, ...(mediaType && { mediaType }), ...(readImage && { readImage }) },
    budget,
  );
}

/** Errors attributed to the file, internal ones included; other errors may pass on a retry and are rethrown. */
const OF_THE_FILE = new Set(['invalid_request', 'too_large', 'unsupported_type', 'internal']);

const isOfTheFile = (error: unknown): boolean =>
  !(error instanceof NestingBudgetExceeded) && (!(error instanceof ServiceError) || OF_THE_FILE.has(error.code));

function reasonOf(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  return error instanceof RangeError ? 'Its parts are nested too deeply.' : 'It is damaged.';
}

const MAX_LABEL = 200;

/**
 * A path as a safe label: without parent or absolute components and without invisible or direction-changing characters.
 */
function labelOf(path: string): string {
  const parts = cleanText(path)
    .replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069]/g, '')
    .replaceAll('\\', '/')
    .replaceAll(/\s+/g, ' ')
    .split('/')
    .map((part) => part.trim())
    .filter((part, index) => part !== '' && part !== '.' && part !== '..' && !(index === 0 && /^[a-z]:$/i.test(part)));
  return parts.join('/').slice(-MAX_LABEL) || 'unnamed';
}

const MAX_LISTED = 100;

/** Metadata about the nested files, for the document's record. */
export function filesMetadata({ read, unread }: ReadInnerFiles): Metadata {
  return {
    ...(read.length > 0 && { files: read.slice(0, MAX_LISTED), file_count: read.length }),
    ...(unread.length > 0 && {
      unread_files: unread.slice(0, MAX_LISTED).map(({ name, reason }): Json => ({ name, reason })),
    }),
  };
}

function unreadWithin(metadata: Metadata, outer: string): UnreadFile[] {
  const listed = metadata['unread_files'];
  if (!Array.isArray(listed)) return [];
  return (listed as readonly Json[]).flatMap((one) => {
    if (typeof one !== 'object' || one === null || !('name' in one) || !('reason' in one)) return [];
    return [{ name: `${outer}/${String(one['name'])}`, reason: String(one['reason']) }];
  });
}
