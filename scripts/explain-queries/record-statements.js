import { appendFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

// Loaded before anything else in every thread (`node --import`): each statement that is prepared is kept once, as a line
// of JSON in the file that CITEWELL_STATEMENTS names.
const file = process.env['CITEWELL_STATEMENTS'];
const known = new Set();
const { prepare } = DatabaseSync.prototype;

DatabaseSync.prototype.prepare = function (sql, ...rest) {
  if (file !== undefined && !known.has(sql)) {
    known.add(sql);
    appendFileSync(file, `${JSON.stringify(sql)}\n`);
  }
  return prepare.call(this, sql, ...rest);
};
