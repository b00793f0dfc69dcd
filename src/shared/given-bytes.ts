/** Copying less than this costs next to nothing. */
const LARGE = 1_000_000;

const given = new WeakSet<ArrayBufferLike>();

/**
 * Says that the caller does not need these bytes any more once it has passed them on. Whoever they end with may then take their
 * buffer, after which they are empty, instead of a copy.
 */
export function giveBytes(bytes: Uint8Array): Uint8Array {
  const { buffer, byteLength } = bytes;
  // Small files read by Node are parts of buffers that others use too.
  if (byteLength >= LARGE && buffer.byteLength === byteLength) given.add(buffer);
  return bytes;
}

/** The buffers among these values that may be taken. */
export function takenBuffers(values: readonly unknown[]): ArrayBuffer[] {
  return values.flatMap((value) =>
    value instanceof Uint8Array && value.buffer instanceof ArrayBuffer && given.has(value.buffer) ? [value.buffer] : [],
  );
}

/** Frees the memory of bytes that nobody else has, without waiting for the garbage collection. */
export function freeBytes(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength >= LARGE && buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
