import { type RawBuilder, sql } from 'kysely';
import { ServiceError } from '../../../errors.ts';
import type { VersionChoice } from '../../versions.ts';
import type { DocumentRow } from '../documents/document-rows.ts';
import { DOCUMENTS_AS_OF, PRESENT_DOCUMENTS, VERSIONS_AS_DOCUMENTS } from '../search/past-tables.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';

/** A document in the state of one of its versions; `version_key` is 0 for the visible state. */
export type RowAsOf = DocumentRow & { readonly version_key: number };

/** The document in this version, or at that time; undefined when there was none, or it has been pruned. */
export async function rowAsOf(database: Queries, id: string, choice: VersionChoice): Promise<RowAsOf | undefined> {
  const given = id.toLowerCase();
  const query =
    'asOf' in choice
      ? sql<RowAsOf>`select * from (${documentsAsOf(choice.asOf)}) d where d.id = ${given}`
      : sql<RowAsOf>`
          ${sql.raw(PRESENT_DOCUMENTS)} and o.id = ${given} and o.version = ${choice.version}
          union all ${sql.raw(VERSIONS_AS_DOCUMENTS)} and o.id = ${given} and v.version = ${choice.version}`;
  return (await query.execute(database)).rows[0];
}

/** All documents visible at a point in time, as a subquery. */
export function documentsAsOf(at: string): RawBuilder<RowAsOf> {
  const parts = DOCUMENTS_AS_OF.split('?').map((part) => sql.raw(part));
  return sql<RowAsOf>`${sql.join(parts, sql`${at}`)}`;
}

export const noVersion = (id: string, version: string): ServiceError =>
  new ServiceError('not_found', `There is no version "${version}" of document ${id}, or it is no longer stored.`);
