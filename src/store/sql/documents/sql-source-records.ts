import { sql } from 'kysely';
import type { SourceRecords } from '../../source-records.ts';
import type { Database } from '../database.ts';
import { addFullText, removeFullText } from '../full-text/full-text-rows.ts';
import { type DocumentRow, readSubmitted, toDocuments } from './document-rows.ts';
import { readOne, requireRow, update } from './ingestions.ts';

/** Sorts after every character a URL can contain. */
const END_OF_PREFIX = '\u{10ffff}';

export function createSourceRecords({ reader, writer }: Database): SourceRecords {
  return {
    async find(ownerId, source, id) {
      const isThere = sql<boolean>`(source = ${source} and owner_id = ${ownerId})`;
      const found = await reader
        .selectFrom('documents')
        .selectAll()
        .select(sql<number>`case when ${isThere} then 1 else 0 end`.as('has_source'))
        .where((where) => where.or([isThere, where('id', '=', id)]))
        .orderBy('has_source', 'desc')
        .orderBy('key')
        .limit(1)
        .executeTakeFirst();
      if (found === undefined) return undefined;
      const { has_source, ...row } = found;
      const [document] = await toDocuments(reader, [row]);
      return document && { document, hasSource: has_source === 1 };
    },

    async below(ownerId, { prefix, contentHash, after, limit }) {
      let query = reader
        .selectFrom('documents')
        .selectAll()
        .where('source', '>=', prefix)
        .where('source', '<', prefix + END_OF_PREFIX)
        .where('owner_id', '=', ownerId);
      if (contentHash !== undefined) query = query.where('content_hash', '=', contentHash);
      if (after !== undefined) query = query.where('source', '>', after);
      return toDocuments(reader, await query.orderBy('source').orderBy('key').limit(limit).execute());
    },

    updateSource: (id, { source, fileName }) =>
      writer.transaction().execute(async (transaction) => {
        const row = await requireRow(transaction, id);
        const title = isNamedByItsFile(row) ? fileName : row.title;
        const isVisible = row.generation > 0;
        const submitted = readSubmitted(row);
        if (isVisible) await removeFullText(transaction, row.key, row.generation);
        await update(transaction, row.key, {
          source,
          file_name: fileName,
          title,
          ...(submitted !== null && { submitted: JSON.stringify({ ...submitted, source, fileName }) }),
        });
        if (isVisible) await addFullText(transaction, row.key, row.generation);
        return readOne(transaction, id);
      }),
  };
}

function isNamedByItsFile({ title, file_name, settings }: DocumentRow): boolean {
  return title === file_name && (JSON.parse(settings) as { given_title?: unknown }).given_title !== true;
}
