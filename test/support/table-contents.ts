import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/** Setting that a store writes on a clean shutdown: the vector index is in step with it. */
const MARK = 'index_left_in_step';

/**
 * A digest of the rows of every table of a database, by table name. Omits what is written when the store closes:
 * SQLite's statistics, and the mark that the vector index is in step.
 */
export function tableContents(path: string): Readonly<Record<string, string>> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare(
      "select name from sqlite_master where type = 'table' and sql not like 'create virtual%' and name not like 'sqlite_stat%'",
    );
    return Object.fromEntries(
      tables.all().map(({ name }) => {
        const rows = database
          .prepare(`select * from "${name}"`)
          .all()
          .filter((row) => name !== 'settings' || row['name'] !== MARK)
          .map((row) => JSON.stringify(row, encode));
        return [
          String(name),
          `${rows.length} rows ${createHash('sha256').update(rows.sort().join('\n')).digest('hex')}`,
        ];
      }),
    );
  } finally {
    database.close();
  }
}

const encode = (_key: string, value: unknown): unknown =>
  ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') : value;
