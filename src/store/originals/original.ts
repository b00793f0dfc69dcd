import type { ReadOptions } from './object-store.ts';

/** The uploaded file of a document. */
export interface Original {
  readonly sizeInBytes: number;
  /** All bytes, verified. */
  read(): Promise<Uint8Array>;
  /** The bytes, or a part of them, in pieces; throws before the last one where the whole is damaged. */
  stream(options?: ReadOptions): AsyncIterable<Uint8Array>;
}

export const fromMemory = (bytes: Uint8Array): Original => ({
  sizeInBytes: bytes.byteLength,
  read: async () => bytes,
  async *stream({ range } = {}) {
    yield range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);
  },
});
