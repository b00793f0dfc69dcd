import type { DatabaseSync } from 'node:sqlite';

export const termTables = ['chunk_terms', 'document_terms', 'past_chunk_terms', 'version_terms'] as const;
export type TermTable = (typeof termTables)[number];

/** Number of terms of each chunk in a full-text index. */
export interface ChunkLengths {
  /** By key; -1 where there is no chunk. */
  readonly lengths: Int32Array;
  readonly count: number;
  readonly mean: number;
  /** By key, scratch space for summing scores; must be reset to 0 after use. */
  readonly scores: Float64Array;
}

/** Reads all lengths at once from the table in which FTS5 keeps them, one packed number per column. */
export function readChunkLengths(database: DatabaseSync, table: TermTable): ChunkLengths {
  const statement = database.prepare(
    `select json_group_array(id) as keys, group_concat(hex(sz)) as sizes, count(*) as count, max(id) as largest
     from ${table}_docsize`,
  );
  const row = statement.get() ?? {};
  const count = Number(row['count'] ?? 0);
  const lengths = new Int32Array(Number(row['largest'] ?? 0) + 1).fill(-1);
  const scores = new Float64Array(lengths.length);
  if (count === 0) return { lengths, count, mean: 0, scores };
  const keys = JSON.parse(String(row['keys'])) as number[];
  const sizes = String(row['sizes']);
  let total = 0;
  let at = 0;
  for (const key of keys) {
    const end = sizes.indexOf(',', at) < 0 ? sizes.length : sizes.indexOf(',', at);
    const length = sumOfVarints(sizes, at, end);
    lengths[key] = length;
    total += length;
    at = end + 1;
  }
  return { lengths, count, mean: total / count, scores };
}

// Sums SQLite's variable-length integers in hexadecimal: seven bits per byte, the highest bit marks a continuation.
function sumOfVarints(hex: string, start: number, end: number): number {
  let sum = 0;
  let value = 0;
  for (let at = start; at < end; at += 2) {
    const byte = (digit(hex, at) << 4) | digit(hex, at + 1);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      sum += value;
      value = 0;
    }
  }
  return sum;
}

function digit(hex: string, at: number): number {
  const code = hex.charCodeAt(at);
  return code < 58 ? code - 48 : code - 55;
}
