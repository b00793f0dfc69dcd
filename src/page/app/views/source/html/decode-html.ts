/** Number of bytes in which a page must declare its encoding. */
const HEAD_BYTES = 1_024;

/** Decodes a page: by byte order mark, Content-Type, its own declaration, else UTF-8. */
export function decodeHtml(bytes: ArrayBuffer, mediaType: string): string {
  const head = new TextDecoder('latin1').decode(bytes.slice(0, HEAD_BYTES));
  const named = /charset\s*=\s*["']?([\w-]+)/i;
  const label = markOf(new Uint8Array(bytes)) ?? named.exec(mediaType)?.[1] ?? named.exec(head)?.[1] ?? 'utf-8';
  return decoderFor(label).decode(bytes);
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}
