import { type RawBuilder, sql } from 'kysely';
import type { DocumentOrder, DocumentSort } from '../../../documents/document-order.ts';
import { TITLE_ORDER } from '../migrations/0029-document-orders.ts';
import type { SqlDialect } from '../sql-dialect.ts';

/** What `order by` compares, of a table `d`. */
export function orderTerms({ by, direction }: DocumentOrder, { name }: SqlDialect): RawBuilder<unknown>[] {
  const values: Readonly<Record<DocumentSort, string>> = {
    title: TITLE_ORDER[name].replace('title', 'd.title'),
    size_in_bytes: 'd.size_in_bytes',
    created_at: 'd.created_at',
    ingestion_status: `case when d.ingestion_status = 'failed' then 0
      when d.ingestion_status in ('success', 'enriching') then 2 else 1 end`,
  };
  return [values[by], 'd.key'].map((term) => sql.raw(`${term} ${direction}`));
}
