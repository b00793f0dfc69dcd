/**
 * Message framing between a slot and its parent: a length of four bytes, then that many bytes. Either side stops at a
 * frame above its size limit.
 */
export function encodeFrame(content: string | Uint8Array): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + bytes.byteLength);
  frame.writeUInt32LE(bytes.byteLength);
  frame.set(bytes, LENGTH_BYTES);
  return frame;
}

const LENGTH_BYTES = 4;

/** The other side announced a frame above the size limit. */
class FrameTooLong extends Error {
  override readonly name = 'FrameTooLong';
}

/** Reassembles frames from stream chunks. Throws FrameTooLong before it buffers more than `maxBytes`. */
export class FrameReader {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *read(piece: Uint8Array): Generator<Buffer, void> {
    this.#pieces.push(piece);
    this.#held += piece.byteLength;
    while (this.#held >= LENGTH_BYTES) {
      const length = this.#head().readUInt32LE();
      if (length > this.#maxBytes) throw new FrameTooLong(`A frame of ${length} bytes was announced.`);
      if (this.#held < LENGTH_BYTES + length) return;
      const whole = Buffer.concat(this.#pieces);
      this.#pieces = [whole.subarray(LENGTH_BYTES + length)];
      this.#held -= LENGTH_BYTES + length;
      yield whole.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
    }
  }

  #head(): Buffer {
    const [first] = this.#pieces;
    if (first !== undefined && first.byteLength >= LENGTH_BYTES) return Buffer.from(first.subarray(0, LENGTH_BYTES));
    const whole = Buffer.concat(this.#pieces);
    this.#pieces = [whole];
    return whole;
  }
}
