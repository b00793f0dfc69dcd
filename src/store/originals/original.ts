import type { ReadOptions } from './object-store.ts';

/** The uploaded file of a document. */
export interface Original {
  readonly sizeInBytes: number;
  /** All bytes, verified. */
  read(): Promise<Uint8Array>;
  /** The bytes, or a range of them, in pieces. A complete read of a damaged file throws before the last piece. */
  stream(options?: ReadOptions): AsyncIterable<Uint8Array>;
}

export const fromMemory = (bytes: Uint8Array): Original => ({
  sizeInBytes: bytes.byteLength,
  read: async () => bytes,
  async *stream({ range } = {}) {
    yield range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);
  },
});
