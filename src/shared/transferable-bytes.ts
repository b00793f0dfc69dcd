/** Copying fewer bytes than this costs next to nothing. */
const MIN_TRANSFER_BYTES = 1_000_000;

const transferable = new WeakSet<ArrayBufferLike>();

/**
 * Marks bytes that the caller no longer uses after passing them on. The receiver may then transfer their buffer to
 * another thread, which detaches it, instead of copying it.
 */
export function markTransferable(bytes: Uint8Array): Uint8Array {
  const { buffer, byteLength } = bytes;
  // Small buffers in Node are slices of a shared pool.
  if (byteLength >= MIN_TRANSFER_BYTES && buffer.byteLength === byteLength) transferable.add(buffer);
  return bytes;
}

/** The buffers of those values that may be transferred. */
export function transferableBuffers(values: readonly unknown[]): ArrayBuffer[] {
  return values.flatMap((value) =>
    value instanceof Uint8Array && value.buffer instanceof ArrayBuffer && transferable.has(value.buffer)
      ? [value.buffer]
      : [],
  );
}

/** Frees the memory of bytes that nothing else uses, without waiting for garbage collection. */
export function freeBytes(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength >= MIN_TRANSFER_BYTES && buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
