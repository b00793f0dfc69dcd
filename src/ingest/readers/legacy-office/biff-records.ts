import { ServiceError } from '../../../errors.ts';

/** A record of an old Excel stream. Long records have continuation pieces. */
export interface BiffRecord {
  readonly type: number;
  readonly offset: number;
  readonly pieces: readonly Buffer[];
  /** The first piece, which is the whole of most records. */
  readonly data: Buffer;
}

const CONTINUE = 0x3c;

/** The records from an offset on. A truncated record at the end is left out. */
export function* biffRecords(stream: Buffer, from: number): Generator<BiffRecord, void> {
  for (let offset = from; offset + 4 <= stream.length; ) {
    const start = offset;
    const type = stream.readUInt16LE(offset);
    const pieces = [pieceAt(stream, offset)];
    offset = next(stream, offset);
    while (offset + 4 <= stream.length && stream.readUInt16LE(offset) === CONTINUE) {
      pieces.push(pieceAt(stream, offset));
      offset = next(stream, offset);
    }
    yield { type, offset: start, pieces, data: pieces[0] ?? Buffer.alloc(0) };
  }
}

const pieceAt = (stream: Buffer, offset: number): Buffer => stream.subarray(offset + 4, next(stream, offset));
const next = (stream: Buffer, offset: number): number => offset + 4 + stream.readUInt16LE(offset + 2);

/** Reads across the pieces of a record. Throws `invalid_request` at their end. */
export interface PieceReader {
  byte(): number;
  short(): number;
  long(): number;
  skip(length: number): void;
  /** Characters of a string; each piece it continues into states its character width anew. */
  characters(count: number, isWide: boolean): string;
}

export function createPieceReader(pieces: readonly Buffer[], fileName: string): PieceReader {
  let index = 0;
  let at = 0;
  const current = (): Buffer => {
    while (at >= (pieces[index]?.length ?? 0)) {
      if (index >= pieces.length - 1)
        throw new ServiceError('invalid_request', `${fileName} is damaged: its table of texts ends too early.`);
      at -= pieces[index]?.length ?? 0;
      index++;
    }
    return pieces[index] ?? Buffer.alloc(0);
  };
  const byte = (): number => {
    const piece = current();
    return piece[at++] ?? 0;
  };
  const short = (): number => byte() | (byte() << 8);
  return {
    byte,
    short,
    long: () => (short() | (short() << 16)) >>> 0,
    skip(length) {
      at += length;
    },
    characters(count, isWideAtFirst) {
      let isWide = isWideAtFirst;
      let text = '';
      for (let left = count; left > 0; ) {
        if (at >= (pieces[index]?.length ?? 0)) {
          current();
          isWide = (byte() & 1) !== 0;
        }
        const piece = current();
        const taken = Math.min(left, Math.max(1, Math.floor((piece.length - at) / (isWide ? 2 : 1))));
        const end = at + taken * (isWide ? 2 : 1);
        text += isWide ? piece.toString('utf16le', at, end) : piece.toString('latin1', at, end);
        at = end;
        left -= taken;
      }
      return text;
    },
  };
}
