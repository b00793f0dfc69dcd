import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import { detectType, HEAD_BYTES, hasDirectory } from './detect-type.ts';
import { type FileType, readableTypes } from './file-types.ts';

/** No format refuses files of this size. */
export const ALWAYS_ALLOWED_BYTES = Math.min(...readableTypes.map(({ maxBytes }) => maxBytes));

interface NamedFile {
  readonly fileName: string;
  readonly mediaType?: string;
}

/**
 * The format of a file as far as its first `HEAD_BYTES` bytes show it, so that a file above the limit of its format
 * need not be read whole. Undefined if they do not, as for formats with a directory.
 */
export async function formatByHead(head: Uint8Array, file: NamedFile): Promise<FileType | undefined> {
  if (hasDirectory(head)) return undefined;
  return detectType({ ...file, bytes: head }).catch(() => undefined);
}

/**
 * Takes the pieces of a file as they arrive, and throws `too_large` as soon as there are more bytes than its format may
 * have.
 */
export function createSizeGuard(file: NamedFile): (piece: Uint8Array) => Promise<void> {
  const head: Uint8Array[] = [];
  let headSize = 0;
  let size = 0;
  let format: FileType | undefined;
  let isKnown = false;
  return async (piece) => {
    size += piece.byteLength;
    if (headSize < HEAD_BYTES) {
      // Copied, because a piece belongs to its sender again when this has returned.
      const copy = Uint8Array.from(piece.subarray(0, HEAD_BYTES - headSize));
      head.push(copy);
      headSize += copy.byteLength;
    }
    if (size <= ALWAYS_ALLOWED_BYTES) return;
    if (!isKnown) {
      isKnown = true;
      format = await formatByHead(Buffer.concat(head), file);
    }
    if (format === undefined || size <= format.maxBytes) return;
    throw new ServiceError(
      'too_large',
      `${file.fileName} is larger than ${byteCount(format.maxBytes)}, the limit of files of type ${format.type}. ` +
        'Split it, or raise CITEWELL_MAX_FILE_MB.',
    );
  };
}
