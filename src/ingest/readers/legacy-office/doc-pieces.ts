import { ServiceError } from '../../../errors.ts';

/** A piece of the text and the position of its bytes. */
export interface DocPiece {
  /** Character offsets in the whole text, end exclusive. */
  readonly start: number;
  readonly end: number;
  /** Offset of its first byte in the main stream. */
  readonly at: number;
  readonly bytesPerCharacter: 1 | 2;
}

const MAX_CHARACTERS = 20_000_000;

/** Reads the piece table: a quick-saved document consists of pieces scattered over the file. */
export function readDocPieces(main: Buffer, table: Buffer, fileName: string): DocPiece[] {
  const damaged = () => new ServiceError('invalid_request', `${fileName} is damaged: its text cannot be put together.`);
  const from = main.readUInt32LE(0x01a2);
  const length = main.readUInt32LE(0x01a6);
  const list = table.subarray(from, from + length);
  let at = 0;
  while (at + 3 <= list.length && list[at] === 1) at += 3 + list.readUInt16LE(at + 1);
  if (at + 5 > list.length || list[at] !== 2) throw damaged();
  const pointers = list.subarray(at + 5, at + 5 + list.readUInt32LE(at + 1));
  const count = Math.floor((pointers.length - 4) / 12);
  if (count < 1) throw damaged();
  const pieces: DocPiece[] = [];
  for (let index = 0; index < count; index++) {
    const start = pointers.readUInt32LE(index * 4);
    const end = pointers.readUInt32LE(index * 4 + 4);
    const pointer = pointers.readUInt32LE((count + 1) * 4 + index * 8 + 2);
    if (end < start || end > MAX_CHARACTERS) throw damaged();
    const isCompressed = (pointer & 0x40000000) !== 0;
    const offset = pointer & 0x3fffffff;
    pieces.push({ start, end, at: isCompressed ? offset >> 1 : offset, bytesPerCharacter: isCompressed ? 1 : 2 });
  }
  return pieces;
}

const WESTERN = new TextDecoder('windows-1252');

export const textOfPiece = (main: Buffer, { start, end, at, bytesPerCharacter }: DocPiece): string => {
  const bytes = main.subarray(at, at + (end - start) * bytesPerCharacter);
  return bytesPerCharacter === 1 ? WESTERN.decode(bytes) : bytes.toString('utf16le');
};
