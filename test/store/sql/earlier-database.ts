import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export const LARGE = 'x'.repeat(4_000_000);

/** As a version without incremental vacuum left it: half of it deleted and not given back. */
export async function earlierDatabase(): Promise<string> {
  const path = join(await temporaryFolder(), 'citewell.db');
  const database = new DatabaseSync(path);
  database.exec('pragma journal_mode = wal; create table settings (name text primary key, value text not null)');
  const insert = database.prepare('insert into settings values (?, ?)');
  for (const name of ['kept', 'deleted']) insert.run(name, LARGE);
  database.exec("delete from settings where name = 'deleted'");
  database.close();
  return path;
}

/** The value that was not deleted. */
export const valueIn = (path: string): unknown => {
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare("select value from settings where name = 'kept'").get();
  database.close();
  return row?.['value'];
};
