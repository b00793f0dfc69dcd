import type { Database } from '../database.ts';
import type { SpaceRow } from '../vector-spaces/space-rows.ts';
import { codingOf } from './coding-of.ts';
import type { CodesRead } from './read-codes.ts';
import type { VectorCoding } from './vector-coding.ts';

/** Codes in memory that all threads share. Only the first `count` are complete; others may be being written. */
export interface CodeSegment {
  /** Keys of the chunks. */
  readonly keys: Int32Array<SharedArrayBuffer>;
  /** The codes in the same order, each padded with zeros to whole words. */
  readonly codes: Int32Array<SharedArrayBuffer>;
  readonly count: number;
}

/** The codes of the searched space, cached from the first search that needs them until none has for a while. */
export interface LoadedCodes {
  /** All codes stored by now; undefined if the database has none. */
  current(space: SpaceRow): Promise<readonly CodeSegment[] | undefined>;
}

/** Codes per segment: some 1.7 MB at 384 dimensions. */
const SEGMENT = 32_768;

interface Loaded {
  readonly spaceKey: number;
  readonly segments: CodeSegment[];
  last: number;
  series?: number;
}

const KEPT_MS = 60_000;

export function loadedCodes(call: Database['search']['call'], keptMs = KEPT_MS): LoadedCodes {
  let unused: NodeJS.Timeout | undefined;
  let loaded: Loaded | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let next: { readonly spaceKey: number; readonly segments: ReturnType<LoadedCodes['current']> } | undefined;

  const release = () => {
    loaded = undefined;
    next = undefined;
    unused = undefined;
  };

  const load = async (space: SpaceRow): Promise<CodeSegment[] | undefined> => {
    next = undefined;
    const into: Loaded = loaded?.spaceKey === space.key ? loaded : { spaceKey: space.key, segments: [], last: 0 };
    loaded = into;
    for (;;) {
      const read = await call('readCodes', { space, after: into.last, limit: SEGMENT });
      if (read === null) return undefined;
      if (into.series !== undefined && into.series !== read.series) {
        loaded = undefined;
        return load(space);
      }
      into.series = read.series;
      append(into.segments, read, codingOf(space.dimensions));
      into.last = read.last;
      if (read.isEnd) return [...into.segments];
    }
  };

  return {
    // Searches that begin while codes are being read share the next read, which sees all that was written before.
    current(space) {
      unused ??= setTimeout(release, keptMs).unref();
      unused.refresh();
      if (next?.spaceKey === space.key) return next.segments;
      const segments = running.then(() => load(space));
      running = segments.catch(() => {});
      next = { spaceKey: space.key, segments };
      return segments;
    },
  };
}

function append(segments: CodeSegment[], { keys, codes }: CodesRead, { bytes, words }: VectorCoding): void {
  const size = words * Int32Array.BYTES_PER_ELEMENT;
  for (let from = 0; from < keys.length; ) {
    const open = segments.at(-1);
    const hasRoom = open !== undefined && open.count < SEGMENT;
    const segment = hasRoom ? open : emptySegment(words);
    if (!hasRoom) segments.push(segment);
    const { count } = segment;
    const to = Math.min(keys.length, from + SEGMENT - count);
    segment.keys.set(keys.subarray(from, to), count);
    const into = new Uint8Array(segment.codes.buffer);
    if (size === bytes) into.set(codes.subarray(from * bytes, to * bytes), count * bytes);
    else
      for (let row = from; row < to; row++)
        into.set(codes.subarray(row * bytes, (row + 1) * bytes), (count + row - from) * size);
    segments[segments.length - 1] = { ...segment, count: count + to - from };
    from = to;
  }
}

const emptySegment = (words: number): CodeSegment => ({
  keys: new Int32Array(new SharedArrayBuffer(SEGMENT * Int32Array.BYTES_PER_ELEMENT)),
  codes: new Int32Array(new SharedArrayBuffer(SEGMENT * words * Int32Array.BYTES_PER_ELEMENT)),
  count: 0,
});
