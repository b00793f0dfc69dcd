/** Bytes of a header; contents are padded to multiples of it. */
export const BLOCK = 512;

/** True for bytes that begin with the header of a tar entry. */
export function isTar(bytes: Uint8Array): boolean {
  if (bytes.length < BLOCK) return false;
  return checksumFits(Buffer.from(bytes.buffer, bytes.byteOffset, BLOCK));
}

/** Octal digits, or for large files a binary number, marked by the first bit. */
export function numberAt(header: Buffer, at: number, length: number): number {
  const field = header.subarray(at, at + length);
  if (((field[0] ?? 0) & 0x80) !== 0) return Math.min(Number.MAX_SAFE_INTEGER, field.readUIntBE(length - 6, 6));
  return Number.parseInt(field.toString('latin1').replace(/\0.*$/s, '').trim() || '0', 8) || 0;
}

/** Verifies the header's checksum, computed with its own field as spaces. */
export function checksumFits(header: Buffer): boolean {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  return sum > 8 * 0x20 && sum === numberAt(header, 148, 8);
}
