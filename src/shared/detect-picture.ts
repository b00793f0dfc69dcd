/** Picture formats that language models and their hosts accept. */
export type PictureType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

const SIGNATURES: readonly (readonly [at: number, bytes: string, mediaType: PictureType])[] = [
  [0, '\x89PNG\r\n\x1a\n', 'image/png'],
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [0, 'GIF8', 'image/gif'],
  [8, 'WEBP', 'image/webp'],
];

/** Detects the format of a picture by its first bytes. */
export function detectPicture(bytes: Uint8Array): PictureType | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(16, bytes.byteLength)).toString('latin1');
  return SIGNATURES.find(([at, signature]) => head.startsWith(signature, at))?.[2];
}
