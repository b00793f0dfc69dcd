import { LruMap } from '../../../shared/lru-map.ts';
import type { KeyRange } from '../sqlite/key-ranges.ts';
import { type Postings, replaceRange } from './postings.ts';

/** The postings of a term in some chunks. */
type ReadTerm = (term: string) => Postings;

/**
 * The postings of recently used terms. They outlive small writes: the chunks that a write changed are noted, and once
 * the postings of a term are needed again, those of the changed chunks are replaced in them.
 */
export interface PostingCache {
  /**
   * The current postings of a term if they are cached. `readChunks` reads the terms of the chunks in a range of keys
   * that are in the index; undefined if they take too much memory.
   */
  get(term: string, readChunks: (range: KeyRange) => ReadTerm | undefined): Postings | undefined;
  /** Maximum number of chunks in the postings of a term. */
  readonly maxOfTerm: number;
  /** Caches the current postings of a term, unless they are too many. */
  set(term: string, postings: Postings): void;
  /** Notes that chunks in these ranges of keys may have been added, changed or removed. */
  noteChanges(ranges: readonly KeyRange[]): void;
  clear(): void;
}

/** Maximum sum of the numbers of chunks in the postings, eight bytes each. */
const MAX_CACHED = 1_500_000;
/** Part of that which the postings of one term may take. */
const MAX_SHARE = 0.25;
/** Size of a term without postings, in the same unit. */
const TERM_SIZE = 50;
/** Changed chunks that are noted. Postings that lack more changes than these are read again. */
const MAX_CHANGED = 256;

interface CachedPostings {
  readonly postings: Postings;
  /** Number of the last change that they include. */
  readonly change: number;
}

interface Change {
  readonly range: KeyRange;
  /** The terms of the chunks in the range, once they were needed. */
  terms?: ReadTerm | undefined;
}

export function createPostingCache(maxCached = MAX_CACHED): PostingCache {
  const cached = new LruMap<string, CachedPostings>({
    max: maxCached,
    sizeOf: ({ postings }) => postings.keys.length + TERM_SIZE,
  });
  // In the order of the changes; the last one has the number `latest`.
  const changes: Change[] = [];
  let latest = 0;
  let noted = 0;

  const clear = () => {
    cached.clear();
    changes.length = 0;
    noted = 0;
  };

  const maxOfTerm = maxCached * MAX_SHARE;
  return {
    maxOfTerm,
    get(term, readChunks) {
      const known = cached.get(term);
      if (known === undefined || known.change < latest - changes.length) return undefined;
      let { postings } = known;
      for (const change of changes.slice(changes.length - (latest - known.change))) {
        change.terms ??= readChunks(change.range);
        if (change.terms === undefined) {
          clear();
          return undefined;
        }
        postings = replaceRange(postings, change.range, change.terms(term));
      }
      if (known.change < latest) cached.set(term, { postings, change: latest });
      return postings;
    },
    set(term, postings) {
      if (postings.keys.length <= maxOfTerm) cached.set(term, { postings, change: latest });
    },
    noteChanges(ranges) {
      // A chunk that was replaced is in two equal ranges, one for each entry.
      for (const range of new Map(ranges.map((each) => [each.join(), each])).values()) {
        changes.push({ range });
        latest++;
        noted += sizeOf(range);
      }
      while (noted > MAX_CHANGED) noted -= sizeOf(changes.shift()?.range ?? NO_KEYS);
      if (changes.length === 0) clear();
    },
    clear,
  };
}

const NO_KEYS: KeyRange = [0, -1];

const sizeOf = ([first, last]: KeyRange): number => last - first + 1;
