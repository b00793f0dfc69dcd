import type { PhraseCounts } from '../../chunk-search.ts';
import type { CompiledFilter } from './compile-filter.ts';
import { passagesSaying } from './keys-saying.ts';
import type { Reading } from './read-snapshot.ts';
import { resolveFilter } from './resolve-filter.ts';

export interface SayingQuery {
  /** Each from `compilePhrase`. */
  readonly phrases: readonly (readonly string[])[];
  readonly filter: CompiledFilter;
}

/** How many of the passages that pass say each of the phrases, and how many say them all. */
export function countSaying(reading: Reading, { phrases, filter }: SayingQuery): PhraseCounts {
  const allowed = resolveFilter(reading, filter)?.keys;
  const isPast = filter?.past !== undefined;
  let all: Set<number> | undefined;
  const each = phrases.map(([phrase]) => {
    const saying = phrase === undefined ? new Set<number>() : passagesSaying(reading, phrase, isPast);
    const passing = new Set([...saying].filter((key) => allowed?.has(key) ?? true));
    all = all === undefined ? passing : new Set([...all].filter((key) => passing.has(key)));
    return passing.size;
  });
  return { each, all: all?.size ?? 0 };
}
