import { executeFor } from './execute-for.ts';
import type { SharedStep } from './shared-steps.ts';

/** Number of successive keys in a block of codes; equals `CODES_PER_BLOCK` in `code-ranges.ts`. */
const CODES_PER_BLOCK = 8_192;

/**
 * Data that the first searches of a process read, stored as single values instead of a row for each chunk: the lengths
 * of the full-text entries, and the codes of vectors. Only for SQLite.
 */
export const searchAhead: SharedStep = {
  worksFrom: 23,
  up: (database) =>
    executeFor(database, {
      sqlite: [
        `create table full_text_lengths (name text primary key not null, last_change integer not null,
          structure blob not null, lengths blob not null)`,
        `create table vector_codes_blocks (
          space_key integer not null references vector_spaces (key) on delete cascade, number integer not null,
          keys blob not null, codes blob not null, primary key (space_key, number))`,
        // A block is dropped when one of its codes is removed.
        `create trigger vector_codes_block_gone after delete on vector_codes begin
          delete from vector_codes_blocks
            where space_key = old.space_key and number = (old.key - 1) / ${CODES_PER_BLOCK}; end`,
      ],
      postgres: [],
    }),
};
