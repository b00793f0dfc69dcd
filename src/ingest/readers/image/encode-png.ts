import { crc32, deflateSync } from 'node:zlib';

/** A picture as raw pixels: grey, RGB or RGBA. */
export interface Pixels {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 3 | 4;
}

const COLOUR_KINDS = { 1: 0, 3: 2, 4: 6 } as const;

/** Encodes a picture as PNG. */
export function encodePng({ data, width, height, channels }: Pixels): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, COLOUR_KINDS[channels], 0, 0, 0], 8);
  const line = width * channels;
  // Each line begins with its filter type: 0, none.
  const lines = Buffer.alloc((line + 1) * height);
  for (let y = 0; y < height; y++) lines.set(data.subarray(y * line, (y + 1) * line), y * (line + 1) + 1);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(content.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

/** Scales a picture down to at most `max` pixels on its longer side, by averaging. */
export function shrink(picture: Pixels, max: number): Pixels {
  const { data, width, height, channels } = picture;
  const factor = Math.ceil(Math.max(width, height) / max);
  if (factor <= 1) return picture;
  const narrow = Math.floor(width / factor) || 1;
  const low = Math.floor(height / factor) || 1;
  const small = new Uint8Array(narrow * low * channels);
  for (let y = 0; y < low; y++) {
    for (let x = 0; x < narrow; x++) {
      for (let channel = 0; channel < channels; channel++) {
        let sum = 0;
        let count = 0;
        for (let dy = 0; dy < factor && y * factor + dy < height; dy++) {
          for (let dx = 0; dx < factor && x * factor + dx < width; dx++) {
            sum += data[((y * factor + dy) * width + x * factor + dx) * channels + channel] ?? 0;
            count++;
          }
        }
        small[(y * narrow + x) * channels + channel] = sum / (count || 1);
      }
    }
  }
  return { data: small, width: narrow, height: low, channels };
}
