import { indexTables } from '../../sql/full-text/full-text-tables.ts';

/**
 * For each index, the analysed texts, and the postings of each term in blocks (`full-text/posting-blocks.ts`). `first`
 * and `last` are the first and last key of a block; `entries` is its number of postings, `occurrences` the sum of their
 * occurrences. The `version` of a block is that of the index when it last changed; `removed` is the last version in
 * which a block was removed.
 */
export const fullTextTables: readonly string[] = [
  ...indexTables.flatMap((table) => [
    `create table ${table} (key bigint primary key, title TEXT not null, body TEXT not null, length integer not null)`,
    `create table ${table}_blocks (
    term TEXT, first bigint, last bigint not null, entries integer not null, occurrences integer not null,
    version bigint not null, postings bytea not null, primary key (term, first)
  )`,
  ]),
  // Postings are already compact; compressing them would only slow down every read.
  ...indexTables.map((table) => `alter table ${table}_blocks alter column postings set storage external`),
  `create table full_text_sizes (
    name TEXT primary key, entries bigint not null, length bigint not null, version bigint not null, removed bigint not null
  )`,
  ...indexTables.map((table) => `insert into full_text_sizes values ('${table}', 0, 0, 1, 1)`),
  // Entries that triggers found to be missing or obsolete; the transaction updates the index before it commits.
  'create table full_text_due (name TEXT not null, key bigint not null, is_gone integer not null)',
];
