/** Reads SQLite's variable-length integers one after another. */
export class ByteCursor {
  readonly bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Seven bits per byte, of which the highest bit marks a continuation. Behind the end, 0. */
  varint(): number {
    const { bytes } = this;
    let byte = bytes[this.at++] ?? 0;
    let value = byte & 0x7f;
    while (byte >= 0x80) {
      byte = bytes[this.at++] ?? 0;
      value = value * 128 + (byte & 0x7f);
    }
    return value;
  }
}
