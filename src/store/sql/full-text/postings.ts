import type { KeyRange } from '../sqlite/key-ranges.ts';

/** The chunks with a term, in ascending order of keys, and how often each has it in its title and in its text. */
export interface Postings {
  readonly keys: Int32Array;
  readonly titles: Uint16Array;
  readonly bodies: Uint16Array;
  /** Occurrences in all chunks. */
  readonly occurrences: number;
}

const PARTS = ['keys', 'titles', 'bodies'] as const;

export const noPostings: Postings = createPostings(0, 0);

function createPostings(length: number, occurrences: number): Postings {
  return {
    keys: new Int32Array(length),
    titles: new Uint16Array(length),
    bodies: new Uint16Array(length),
    occurrences,
  };
}

/** More occurrences than these do not change a score. */
const MAX_COUNTED = 65_535;

/** From keys in ascending order, one per occurrence and grouped by chunk, negative for an occurrence in the title. */
export function toPostings(occurrences: readonly number[]): Postings {
  let length = 0;
  let last = 0;
  for (const occurrence of occurrences) {
    const key = Math.abs(occurrence);
    if (key !== last) length++;
    last = key;
  }
  const postings = createPostings(length, occurrences.length);
  const { keys, titles, bodies } = postings;
  let at = -1;
  for (const occurrence of occurrences) {
    const key = Math.abs(occurrence);
    if (at < 0 || keys[at] !== key) keys[++at] = key;
    const counts = occurrence < 0 ? titles : bodies;
    counts[at] = Math.min((counts[at] ?? 0) + 1, MAX_COUNTED);
  }
  return postings;
}

/** Collects the postings of a term, in any order of keys. */
export class PostingList {
  #length = 0;
  #room = createPostings(64, 0);
  #occurrences = 0;
  #isAscending = true;

  get length(): number {
    return this.#length;
  }

  add(key: number, titles: number, bodies: number): void {
    const at = this.#length++;
    if (at === this.#room.keys.length) this.#room = copied(this.#room, at, at * 2);
    const { keys, titles: inTitles, bodies: inBodies } = this.#room;
    if (at > 0 && key <= (keys[at - 1] ?? 0)) this.#isAscending = false;
    keys[at] = key;
    inTitles[at] = Math.min(titles, MAX_COUNTED);
    inBodies[at] = Math.min(bodies, MAX_COUNTED);
    this.#occurrences += titles + bodies;
  }

  toPostings(): Postings {
    const postings = { ...copied(this.#room, this.#length, this.#length), occurrences: this.#occurrences };
    return this.#isAscending ? postings : inOrder(postings);
  }
}

function copied(postings: Postings, length: number, newLength: number): Postings {
  const copy = createPostings(newLength, 0);
  for (const part of PARTS) copy[part].set(postings[part].subarray(0, length));
  return copy;
}

function inOrder(postings: Postings): Postings {
  const { length } = postings.keys;
  const ordered = createPostings(length, postings.occurrences);
  // Keys and places together are sorted as numbers, which is faster than sorting by a function.
  const places = Float64Array.from(postings.keys, (key, at) => key * length + at).sort();
  for (const part of PARTS)
    for (let at = 0; at < length; at++) ordered[part][at] = postings[part][(places[at] ?? 0) % length] ?? 0;
  return ordered;
}

/** The postings of two indexes that have no chunk in common, in no order. */
export function concatenated(one: Postings, two: Postings): Postings {
  if (two.keys.length === 0) return one;
  if (one.keys.length === 0) return two;
  const all = createPostings(one.keys.length + two.keys.length, one.occurrences + two.occurrences);
  for (const part of PARTS) {
    all[part].set(one[part]);
    all[part].set(two[part], one.keys.length);
  }
  return all;
}

/** The number of occurrences in chunks whose key passes. */
export function countOccurrences({ keys, titles, bodies }: Postings, passes: (key: number) => boolean): number {
  let count = 0;
  for (const [at, key] of keys.entries()) if (passes(key)) count += (titles[at] ?? 0) + (bodies[at] ?? 0);
  return count;
}

/** Replaces the postings of the chunks in a range of keys by other postings of chunks in this range. */
export function replaceRange(postings: Postings, [first, last]: KeyRange, present: Postings): Postings {
  const { keys } = postings;
  const from = placeOf(keys, first);
  const to = placeOf(keys, last + 1);
  if (from === to && present.keys.length === 0) return postings;
  const removed = countBetween(postings, from, to);
  const all = createPostings(
    keys.length - (to - from) + present.keys.length,
    postings.occurrences - removed + present.occurrences,
  );
  for (const part of PARTS) {
    all[part].set(postings[part].subarray(0, from));
    all[part].set(present[part], from);
    all[part].set(postings[part].subarray(to), from + present.keys.length);
  }
  return all;
}

/** Place of this key, or of the next larger one, in ascending keys. */
export function placeOf(keys: Int32Array, key: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? 0) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function countBetween({ titles, bodies }: Postings, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) count += (titles[at] ?? 0) + (bodies[at] ?? 0);
  return count;
}
