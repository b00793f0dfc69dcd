/** Numbers of occurrences of one term in a chunk's title and body; `length` is the chunk's total number of terms. */
export interface Posting {
  readonly key: number;
  readonly title: number;
  readonly body: number;
  readonly length: number;
}

/**
 * Encodes postings, ascending by key, as LEB128 numbers: the difference from the previous key (initially `first`);
 * twice the occurrences in the body, plus 1 if those in the title follow; and the length.
 */
export function encodePostings(postings: readonly Posting[], first: number): Uint8Array {
  const bytes: number[] = [];
  let last = first;
  for (const { key, title, body, length } of postings) {
    pushNumber(bytes, key - last);
    pushNumber(bytes, 2 * body + (title > 0 ? 1 : 0));
    if (title > 0) pushNumber(bytes, title);
    pushNumber(bytes, length);
    last = key;
  }
  return Uint8Array.from(bytes);
}

export function decodePostings(bytes: Uint8Array, first: number): Posting[] {
  const postings: Posting[] = [];
  forEachPosting(bytes, first, (key, title, body, length) => postings.push({ key, title, body, length }));
  return postings;
}

/** Calls `visit` with each posting of a block, without allocating objects. */
export function forEachPosting(
  bytes: Uint8Array,
  first: number,
  visit: (key: number, title: number, body: number, length: number) => void,
): void {
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  for (let key = first; at < bytes.length; ) {
    key += next();
    const occurrences = next();
    const title = occurrences % 2 === 1 ? next() : 0;
    visit(key, title, Math.floor(occurrences / 2), next());
  }
}

function pushNumber(bytes: number[], value: number): void {
  let left = value;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  bytes.push(left);
}

export const countOccurrences = (postings: readonly Posting[]): number =>
  postings.reduce((sum, { title, body }) => sum + title + body, 0);
