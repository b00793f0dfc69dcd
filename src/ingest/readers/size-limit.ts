import { ServiceError } from '../../errors.ts';
import { byteCount } from '../../shared/byte-count.ts';
import { isCompoundFile } from './containers/compound-file.ts';
import { detectType, HEAD_BYTES, hasDirectory } from './detect-type.ts';
import { extensionOf, type FileType, readableTypes, typeByExtension } from './file-types.ts';

/** No format refuses files of this size. */
export const ALWAYS_ALLOWED_BYTES = Math.min(...readableTypes.map(({ maxBytes }) => maxBytes));

interface NamedFile {
  readonly fileName: string;
  readonly mediaType?: string;
}

export interface SizeLimit {
  /** The format that an error names. */
  readonly format: FileType;
  /** A larger file is refused whatever follows; for formats with a directory the limit of the largest one of them. */
  readonly maxBytes: number;
}

/**
 * The size limit of a file as far as its first `HEAD_BYTES` bytes show it, so that a file above it need not be read
 * whole. Undefined for an unknown format.
 */
export async function limitByHead(head: Uint8Array, file: NamedFile): Promise<SizeLimit | undefined> {
  if (hasDirectory(head)) return sharedLimit(isCompoundFile(head) ? 'compound' : 'zip', file);
  const format = await detectType({ ...file, bytes: head }).catch(() => undefined);
  return format && { format, maxBytes: format.maxBytes };
}

/** Which of the formats with this signature a file has, only its directory shows. */
function sharedLimit(signature: 'zip' | 'compound', { fileName }: NamedFile): SizeLimit | undefined {
  const sharing = readableTypes.filter(
    ({ type, sharedSignature }) => sharedSignature === signature || type === signature,
  );
  const largest = sharing.reduce((one, two) => (two.maxBytes > one.maxBytes ? two : one));
  const named = typeByExtension(extensionOf(fileName));
  const format = sharing.find((each) => each === named) ?? sharing.find(({ type }) => type === signature) ?? largest;
  return { format, maxBytes: largest.maxBytes };
}

/**
 * Takes the pieces of a file as they arrive, and throws `too_large` as soon as there are more bytes than its format may
 * have.
 */
export function createSizeGuard(file: NamedFile): (piece: Uint8Array) => Promise<void> {
  const head: Uint8Array[] = [];
  let headSize = 0;
  let size = 0;
  let limit: SizeLimit | undefined;
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
      limit = await limitByHead(Buffer.concat(head), file);
    }
    if (limit === undefined || size <= limit.maxBytes) return;
    const { format } = limit;
    throw new ServiceError(
      'too_large',
      `${file.fileName} is larger than ${byteCount(format.maxBytes)}, the limit of files of type ${format.type}. ` +
        'Split it, or raise CITEWELL_MAX_FILE_MB.',
    );
  };
}
