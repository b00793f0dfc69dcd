import type { Hash } from 'node:crypto';
import type { ColumnKind, Table } from './catalog.ts';
import type { Row, Value } from './read-pages.ts';

// PostgreSQL stores neither NUL nor lone surrogates; the replacement has the same length, so that offsets stay valid.
const storableText = (text: string): string =>
  (text.includes('\0') ? text.replaceAll('\0', '\u{fffd}') : text).toWellFormed();

/** A compact JSON text that both databases can store: without NUL and lone surrogates. */
export const storableJson = (json: string): string => JSON.stringify(sorted(JSON.parse(json)));

/** Sorts object members by name, because the databases keep them in different orders. */
function sorted(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [storableText(name), sorted(member)] as const);
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)));
}

// PostgreSQL returns the members of metadata in another order, which also ends up in SQLite copies made from it.
const isJson = (name: string, kind: ColumnKind): boolean => kind === 'json' || name === 'metadata';

/** Adds a row to a hash in a form that is the same for both engines. */
export function hashRow(hash: Hash, { columns }: Table, row: Row): void {
  const blobs: Uint8Array[] = [];
  const cells = columns.map(({ name, kind }): Value | readonly number[] => {
    const value = row[name] ?? null;
    if (typeof value === 'string') return isJson(name, kind) ? storableJson(value) : storableText(value);
    if (!(value instanceof Uint8Array)) return value;
    blobs.push(value);
    return [value.byteLength];
  });
  hash.update(JSON.stringify(cells));
  for (const blob of blobs) hash.update(blob);
}
