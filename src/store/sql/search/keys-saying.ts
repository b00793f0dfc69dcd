import type { CompiledFilter } from './compile-filter.ts';
import type { Reading } from './read-snapshot.ts';

/** Of these passages, those that say what the filter requires and nothing of what it excludes. */
export function keysSaying(
  reading: Reading,
  keys: readonly number[],
  { wording, past }: NonNullable<CompiledFilter>,
): readonly number[] {
  if (wording === undefined) return keys;
  const isPast = past !== undefined;
  let left = keys;
  for (const phrase of wording.required) {
    const saying = passagesSaying(reading, phrase, isPast);
    left = left.filter((key) => saying.has(key));
  }
  for (const phrase of wording.excluded) {
    const saying = passagesSaying(reading, phrase, isPast);
    if (saying.size > 0) left = left.filter((key) => !saying.has(key));
  }
  return left;
}

/** The passages that can be seen now. */
export function visibleKeys(reading: Reading): number[] {
  const { lengths } = reading.snapshot.chunkLengths();
  const keys: number[] = [];
  for (let key = 0; key < lengths.length; key++) if ((lengths[key] ?? -1) >= 0) keys.push(key);
  return keys;
}

/** Those that say a phrase, an expression of FTS5; of all there is, or of what can be seen now. */
export function passagesSaying(reading: Reading, phrase: string, isPast: boolean): ReadonlySet<number> {
  const tables = isPast ? ['chunk_terms', 'past_chunk_terms'] : ['chunk_terms'];
  return new Set(
    tables.flatMap((table) => {
      const sql = `select json_group_array(rowid) from ${table} where ${table} match ?`;
      return JSON.parse(String(reading.row(sql, phrase)?.[0] ?? '[]')) as number[];
    }),
  );
}
