import type { SqlDialect } from '../sql-dialect.ts';
import { executeFor } from './execute-for.ts';
import type { SharedStep } from './shared-steps.ts';

/** Characters of a title that are compared; PostgreSQL indexes no long values. */
const COMPARED = 100;

/**
 * Letters that are sorted as other ones; besides them, only ASCII letters are sorted without regard to case. Few, because
 * SQLite before 3.46 reads no schema with more than some 25 nested calls.
 */
const LETTERS: readonly (readonly [letter: string, base: string])[] = [...'ÄäÁáÅåÇçÉéÈèÑñÖöØøÓóÜü'].map(
  (letter, index) => [letter, 'aaaaaacceeeennoooooouu'.charAt(index)],
);

/** A title as it is sorted. Queries have to contain the text of the index, but for the name of the table. */
export const TITLE_ORDER: Readonly<Record<SqlDialect['name'], string>> = {
  sqlite: LETTERS.reduce(
    (text, [letter, base]) => `replace(${text}, '${letter}', '${base}')`,
    `lower(substr(title, 1, ${COMPARED}))`,
  ),
  postgres: `translate(lower(substr(title, 1, ${COMPARED})), '${LETTERS.map(([letter]) => letter).join('')}', '${LETTERS.map(([, base]) => base).join('')}')`,
};

const SIZE_INDEX = 'create index documents_by_size on documents (size_in_bytes, key, owner_id)';

/** Indexes for lists of documents in order of their titles and sizes, with what most of their filters read. */
export const documentOrders: SharedStep = {
  worksFrom: 25,
  up: (database) =>
    executeFor(database, {
      sqlite: [`create index documents_by_title on documents (${TITLE_ORDER.sqlite}, key, owner_id)`, SIZE_INDEX],
      postgres: [`create index documents_by_title on documents ((${TITLE_ORDER.postgres}), key, owner_id)`, SIZE_INDEX],
    }),
};
