import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from '../sql/schema.ts';
import { hashRow } from './canonical.ts';
import type { Table } from './catalog.ts';
import { type Comparison, type CopyEvent, progressOf, throwIfEnded, type Work } from './copy-events.ts';
import type { Side } from './copy-progress.ts';
import { type Page, readPages } from './read-pages.ts';
import { readCounter } from './write-rows.ts';

/** Reads both databases and compares them table by table. */
export async function* compareStores(
  source: Side,
  target: Side,
  { tables, total, signal }: Work,
): AsyncGenerator<CopyEvent, readonly Comparison[]> {
  const compared: Comparison[] = [];
  const done = { rows: 0, bytes: 0 };
  for (const table of tables) {
    const sides = [reading(source.database.reader, table), reading(target.database.reader, table)] as const;
    for (let isReading = true; isReading; ) {
      throwIfEnded(signal);
      const [page, other] = await Promise.all(sides.map((side) => side.next()));
      isReading = page !== undefined || other !== undefined;
      if (page === undefined) continue;
      done.rows += page.rows.length;
      done.bytes += page.bytes;
      yield progressOf('compare', table.name, done, total);
    }
    const [one, other] = [await sides[0].result(), await sides[1].result()];
    compared.push({
      table: table.name,
      rows: [one.rows, other.rows],
      hashes: [one.hash, other.hash],
      isEqual: one.rows === other.rows && one.hash === other.hash,
    });
  }
  return compared;
}

/** Reads a table of one database page by page, hashing its rows. */
function reading(database: Kysely<Tables>, table: Table) {
  const pages = readPages(database, table);
  const hash = createHash('sha256');
  let rows = 0;
  return {
    async next(): Promise<Page | undefined> {
      const { value, done } = await pages.next();
      if (done === true) return undefined;
      for (const row of value.rows) hashRow(hash, table, row);
      rows += value.rows.length;
      return value;
    },
    async result(): Promise<{ rows: number; hash: string }> {
      if (table.isCounted) hash.update(String(await readCounter(database, table)));
      return { rows, hash: hash.digest('hex') };
    },
  };
}
