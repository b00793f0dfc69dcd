import type { PhraseCounts } from '../../chunk-search.ts';
import type { CompiledFilter } from './compile-filter.ts';
import { chunksWithPhrase } from './keys-with-phrase.ts';
import type { Reading } from './read-snapshot.ts';
import { resolveFilter } from './resolve-filter.ts';

export interface PhraseCountQuery {
  /** Each from `compilePhrase`. */
  readonly phrases: readonly (readonly string[])[];
  readonly filter: CompiledFilter;
}

/** The number of passing chunks that contain each phrase, and the number that contain all of them. */
export function countPhrases(reading: Reading, { phrases, filter }: PhraseCountQuery): PhraseCounts {
  const allowed = resolveFilter(reading, filter)?.keys;
  const isPast = filter?.past !== undefined;
  let all: Set<number> | undefined;
  const each = phrases.map(([phrase]) => {
    const saying = phrase === undefined ? new Set<number>() : chunksWithPhrase(reading, phrase, isPast);
    const passing = new Set([...saying].filter((key) => allowed?.has(key) ?? true));
    all = all === undefined ? passing : new Set([...all].filter((key) => passing.has(key)));
    return passing.size;
  });
  return { each, all: all?.size ?? 0 };
}
