import { ServiceError } from '../errors.ts';
import { onAbort } from '../shared/abort.ts';

export interface InputLimits {
  readonly stop: AbortSignal;
  /** Longer input throws what this returns. */
  readonly maxBytes: number;
  readonly tooLong: () => Error;
}

/** Reads the whole input. Throws `cancelled` as soon as `stop` aborts, also if nobody ever ends the input. */
export async function readInput(
  input: NodeJS.ReadableStream,
  { stop, maxBytes, tooLong }: InputLimits,
): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const pieces: Buffer[] = [];
  let length = 0;
  const take = (piece: Buffer | string) => {
    const bytes = Buffer.from(piece);
    pieces.push(bytes);
    length += bytes.byteLength;
    if (length > maxBytes) reject(tooLong());
  };
  const end = () => resolve(Buffer.concat(pieces));
  input.on('data', take).once('end', end).once('error', reject);
  const stopListening = onAbort(stop, () => reject(new ServiceError('cancelled', 'Interrupted.')));
  try {
    return await promise;
  } finally {
    stopListening();
    input.off('data', take).off('end', end).off('error', reject).pause();
  }
}
