import { type Kysely, sql } from 'kysely';
import type { NumberedSource, SharedCitations } from '../../shared-state.ts';
import type { Tables } from '../../sql/schema.ts';

export function createPostgresCitations(database: Kysely<Tables>): SharedCitations {
  return {
    async open(session, count) {
      const reserved = await sql<{ last: number }>`
        insert into cluster_citation_sessions as s (name, last) values (${session}, ${count})
        on conflict (name) do update set last = s.last + excluded.last, used_at = clock_timestamp()
        returning last`.execute(database);
      const { rows } = await sql<NumberedSource>`
        select number, key, json from cluster_citations where session = ${session} order by number`.execute(database);
      return { numbered: rows, first: (reserved.rows[0]?.last ?? count) - count + 1 };
    },

    async keep(session, { first, count, numbered, maxSources }) {
      const last = first + numbered.length - 1;
      const columns = [
        sql`${numbered.map(({ number }) => number)}::integer[]`,
        sql`${numbered.map(({ key }) => key)}::text[]`,
        sql`${numbered.map(({ json }) => json)}::text[]`,
      ];
      if (numbered.length > 0) {
        await sql`
          insert into cluster_citations (session, number, key, json)
          select ${session}, * from unnest(${sql.join(columns)})`.execute(database);
        // Counts rows, because concurrent calls leave gaps between numbers.
        await sql`
          delete from cluster_citations where session = ${session} and number <= (
            select number from cluster_citations where session = ${session}
            order by number desc offset ${maxSources} limit 1)`.execute(database);
      }
      // Frees the unused rest of the reservation unless another call has reserved numbers after it.
      await sql`
        update cluster_citation_sessions set last = ${last}
        where name = ${session} and last = ${first + count - 1}`.execute(database);
    },

    async trim(retentionMs) {
      await sql`
        delete from cluster_citation_sessions
        where used_at < clock_timestamp() - ${retentionMs} * interval '1 millisecond'`.execute(database);
    },
  };
}
