import { type RawBuilder, sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import type { VersionChoice } from '../../versions.ts';
import type { DocumentRow } from '../document-rows.ts';
import { DOCUMENTS_THEN, PRESENT_DOCUMENTS, VERSIONS_AS_DOCUMENTS } from '../search/past-tables.ts';
import type { Queries } from '../space-rows.ts';

/** A document as one of its versions; the key is 0 when that can be seen now. */
export type RowThen = DocumentRow & { readonly version_key: number };

/** The document as it was in this version, or at that time; undefined when there was none, or it is not kept. */
export async function rowThen(database: Queries, id: string, choice: VersionChoice): Promise<RowThen | undefined> {
  const given = id.toLowerCase();
  const query =
    'asOf' in choice
      ? sql<RowThen>`select * from (${documentsThen(choice.asOf)}) d where d.id = ${given}`
      : sql<RowThen>`
          ${sql.raw(PRESENT_DOCUMENTS)} and o.id = ${given} and o.version = ${choice.version}
          union all ${sql.raw(VERSIONS_AS_DOCUMENTS)} and o.id = ${given} and v.version = ${choice.version}`;
  return (await query.execute(database)).rows[0];
}

/** All documents that could be seen at a time, to select from. */
export function documentsThen(at: string): RawBuilder<RowThen> {
  const parts = DOCUMENTS_THEN.split('?').map((part) => sql.raw(part));
  return sql<RowThen>`${sql.join(parts, sql`${at}`)}`;
}

export const noVersion = (id: string, version: string): ServiceError =>
  new ServiceError('not_found', `There is no version "${version}" of document ${id}, or it is not kept any longer.`);
