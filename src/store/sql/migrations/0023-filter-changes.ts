import { executeFor } from './execute-for.ts';
import type { SharedStep } from './shared-steps.ts';

/** Number of entries kept; a reader that missed more evaluates its filters from scratch. */
const CHANGES_KEPT = 1_000;

const noteDocument = (key: string) => `insert into filter_changes (document_key) values (${key})`;

/**
 * Records which documents have changed, so that a thread with cached filters evaluates them again only for these. The
 * chunks that become visible or are removed are recorded in `full_text_changes`. Only for SQLite: on PostgreSQL, cached
 * filters are keyed by a version of the content.
 */
export const filterChanges: SharedStep = {
  worksFrom: 22,
  up: (database) =>
    executeFor(database, {
      sqlite: [
        'create table filter_changes (key integer primary key autoincrement, document_key integer not null)',
        `create trigger filter_changes_kept after insert on filter_changes begin
          delete from filter_changes where key <= new.key - ${CHANGES_KEPT}; end`,
        `create trigger filter_changes_document after update on documents when new.generation > 0 begin
          ${noteDocument('new.key')}; end`,
        `create trigger filter_changes_chunk after update of id, ordinal, text, page, metadata on chunks begin
          ${noteDocument('new.document_key')}; end`,
        `create trigger filter_changes_joined after insert on document_collections begin
          ${noteDocument('new.document_key')}; end`,
        `create trigger filter_changes_left after delete on document_collections begin
          ${noteDocument('old.document_key')}; end`,
      ],
      postgres: [],
    }),
};
