import { appendFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

// Preloaded in every thread (`node --import`): writes each prepared statement once, as a line of JSON, to the file in
// CITEWELL_TEST_STATEMENTS.
const file = process.env['CITEWELL_TEST_STATEMENTS'];
const known = new Set();
const { prepare } = DatabaseSync.prototype;

DatabaseSync.prototype.prepare = function (sql, ...rest) {
  if (file !== undefined && !known.has(sql)) {
    known.add(sql);
    appendFileSync(file, `${JSON.stringify(sql)}\n`);
  }
  return prepare.call(this, sql, ...rest);
};
