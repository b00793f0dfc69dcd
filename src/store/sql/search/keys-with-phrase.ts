import type { CompiledFilter } from './compile-filter.ts';
import type { Reading } from './read-snapshot.ts';

/** The chunks among `keys` that contain all required phrases and none of the excluded ones. */
export function keysWithPhrase(
  reading: Reading,
  keys: readonly number[],
  { phraseFilters, past }: NonNullable<CompiledFilter>,
): readonly number[] {
  if (phraseFilters === undefined) return keys;
  const isPast = past !== undefined;
  let left = keys;
  for (const phrase of phraseFilters.required) {
    const withPhrase = chunksWithPhrase(reading, phrase, isPast);
    left = left.filter((key) => withPhrase.has(key));
  }
  for (const phrase of phraseFilters.excluded) {
    const withPhrase = chunksWithPhrase(reading, phrase, isPast);
    if (withPhrase.size > 0) left = left.filter((key) => !withPhrase.has(key));
  }
  return left;
}

/** Keys of the visible chunks. */
export function visibleKeys(reading: Reading): number[] {
  const { lengths } = reading.snapshot.chunkLengths();
  const keys: number[] = [];
  for (let key = 0; key < lengths.length; key++) if ((lengths[key] ?? -1) >= 0) keys.push(key);
  return keys;
}

/** The chunks that match a phrase, an FTS5 expression. With `isPast`, chunks of earlier versions are included. */
export function chunksWithPhrase(reading: Reading, phrase: string, isPast: boolean): ReadonlySet<number> {
  const tables = isPast ? ['chunk_terms', 'past_chunk_terms'] : ['chunk_terms'];
  return new Set(
    tables.flatMap((table) => {
      const sql = `select json_group_array(rowid) from ${table} where ${table} match ?`;
      return JSON.parse(String(reading.row(sql, phrase)?.[0] ?? '[]')) as number[];
    }),
  );
}
