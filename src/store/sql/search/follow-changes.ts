import { countKeys, type KeyRange } from '../sqlite/key-ranges.ts';
import type { Condition } from './compile-filter.ts';
import type { LastingFilter, Reading } from './read-snapshot.ts';

/** The last changes of the records that a state reflects. */
type SeenChanges = Pick<LastingFilter, 'documentChange' | 'textChange'>;

export function countChanges(reading: Reading): SeenChanges {
  const [documentChange, textChange] =
    reading.row('select (select max(key) from filter_changes), (select max(key) from full_text_changes)') ?? [];
  return { documentChange: Number(documentChange ?? 0), textChange: Number(textChange ?? 0) };
}

/** Beyond this share of all chunks, evaluating the whole filter again is not slower. */
const MAX_SHARE = 0.25;

/**
 * Evaluates the condition again for the chunks that have changed since the filter was evaluated. False if they are too
 * many, or if their changes are no longer recorded.
 */
export function followChanges(reading: Reading, filter: LastingFilter, condition: Condition): boolean {
  const now = countChanges(reading);
  const documents = changedDocuments(reading, filter, now);
  const ranges = changedRanges(reading, filter, now);
  if (documents === undefined || ranges === undefined) return false;
  if (countKeys(ranges) > reading.snapshot.chunkLengths().count * MAX_SHARE) return false;
  let isOther = false;
  for (const [first, last] of ranges) {
    for (let key = first; key <= last; key++) {
      if (!filter.keys.has(key)) continue;
      filter.keys.delete(key);
      isOther = true;
    }
    for (const key of keysOf(reading, { from: IN_RANGE, condition, bound: [first, last] })) {
      filter.keys.add(key);
      isOther = true;
    }
  }
  if (documents.length > 0) {
    const bound = [JSON.stringify(documents)];
    const passing = new Set(keysOf(reading, { from: OF_DOCUMENTS, condition, bound }));
    for (const key of keysOf(reading, { from: OF_DOCUMENTS, condition: EACH, bound })) {
      if (filter.keys.has(key) === passing.has(key)) continue;
      if (passing.has(key)) filter.keys.add(key);
      else filter.keys.delete(key);
      isOther = true;
    }
  }
  if (isOther) forgetContent(filter);
  filter.documentChange = now.documentChange;
  filter.textChange = now.textChange;
  return true;
}

/** Drops the cached content of the filter's chunks, which is stale once the set of chunks has changed. */
function forgetContent(filter: LastingFilter): void {
  delete filter.vocabulary;
  delete filter.hasManyTerms;
  delete filter.vectors;
}

const CHANGED_DOCUMENTS = 'select json_group_array(distinct document_key), min(key) from filter_changes where key > ?';

function changedDocuments(
  reading: Reading,
  { documentChange: last }: SeenChanges,
  now: SeenChanges,
): number[] | undefined {
  if (now.documentChange === last) return [];
  const [documents, first] = reading.row(CHANGED_DOCUMENTS, last) ?? [];
  return first === last + 1 ? (JSON.parse(String(documents)) as number[]) : undefined;
}

const CHANGED_CHUNKS =
  'select json_group_array(json_array(first_chunk, last_chunk)), min(key) from full_text_changes where key > ?';

function changedRanges(reading: Reading, { textChange: last }: SeenChanges, now: SeenChanges): KeyRange[] | undefined {
  if (now.textChange === last) return [];
  const [ranges, first] = reading.row(CHANGED_CHUNKS, last) ?? [];
  return first === last + 1 ? (JSON.parse(String(ranges)) as KeyRange[]) : undefined;
}

const EACH: Condition = { sql: '1 = 1', parameters: [] };
const IN_RANGE = `chunks c cross join documents d
  on d.key = c.document_key and d.generation = c.generation and d.generation > 0 and c.key between ? and ?`;
const OF_DOCUMENTS = `json_each(?) changed cross join documents d on d.key = changed.value
  cross join chunks c on c.document_key = d.key and c.generation = d.generation and d.generation > 0`;

interface Evaluated {
  readonly from: string;
  readonly condition: Condition;
  /** Values bound in `from`. */
  readonly bound: readonly (number | string)[];
}

function keysOf(reading: Reading, { from, condition, bound }: Evaluated): number[] {
  const sql = `select json_group_array(c.key) from ${from} where (${condition.sql})`;
  return JSON.parse(String(reading.row(sql, ...bound, ...condition.parameters)?.[0] ?? '[]')) as number[];
}
