import { ServiceError } from '../../errors.ts';

/** Size in bytes of the object that a delta produces. */
export function resultSize(delta: Buffer): number {
  const reader = readerOf(delta);
  reader.size();
  return reader.size();
}

/** Applies a delta of a pack file: instructions that copy ranges of the base or insert literal bytes. */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const reader = readerOf(delta);
  if (reader.size() !== base.length) throw damaged();
  const result = Buffer.allocUnsafe(reader.size());
  let at = 0;
  while (!reader.isOver()) {
    const instruction = reader.byte();
    let part: Buffer;
    if (instruction & 128) {
      const start = reader.number(instruction, 4);
      const length = reader.number(instruction >> 4, 3) || 0x10000;
      part = base.subarray(start, start + length);
      if (part.length !== length) throw damaged();
    } else {
      part = reader.bytes(instruction);
    }
    if (part.length === 0 || at + part.length > result.length) throw damaged();
    at += part.copy(result, at);
  }
  if (at !== result.length) throw damaged();
  return result;
}

function readerOf(delta: Buffer) {
  let at = 0;
  const byte = (): number => {
    const value = delta[at++];
    if (value === undefined) throw damaged();
    return value;
  };
  return {
    byte,
    isOver: () => at >= delta.length,
    size() {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const next = byte();
        value += (next & 127) * factor;
        if (!Number.isSafeInteger(value)) throw damaged();
        if (next < 128) return value;
      }
    },
    /** A little-endian number that omits zero bytes; each set bit marks a byte that is present. */
    number(bits: number, max: number): number {
      let value = 0;
      for (let index = 0; index < max; index++) if (bits & (1 << index)) value += byte() * 256 ** index;
      return value;
    },
    bytes(length: number): Buffer {
      const part = delta.subarray(at, at + length);
      at += length;
      if (part.length !== length) throw damaged();
      return part;
    },
  };
}

const damaged = (): ServiceError => new ServiceError('provider_failed', 'What the Git server sent is damaged.');
