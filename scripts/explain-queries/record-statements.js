import { appendFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

// Preloaded in every thread (`node --import`): appends each distinct prepared statement as a line of JSON to the file
// named by CITEWELL_TEST_STATEMENTS.
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
