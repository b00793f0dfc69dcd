import { type Kysely, sql } from 'kysely';
import type { SharedIngestions, SubmissionKey } from '../../shared-state.ts';
import type { Tables } from '../../sql/schema.ts';

/** Maximum number of events returned by one read. */
const MAX_EVENTS = 5_000;

export function createPostgresIngestions(database: Kysely<Tables>): SharedIngestions {
  return {
    async append(events) {
      const counts = new Map<string, number>();
      const numbered = events.map((event) => {
        const key = `${event.documentId} ${event.attempt}`;
        const ordinal = (counts.get(key) ?? 0) + 1;
        counts.set(key, ordinal);
        return { ...event, ordinal };
      });
      // The log rows are locked until the events are inserted, so that event numbers become visible in order.
      await sql`
        with given as (
          select * from unnest(
            ${numbered.map(({ documentId }) => documentId)}::text[],
            ${numbered.map(({ attempt }) => attempt)}::integer[],
            ${numbered.map(({ ordinal }) => ordinal)}::integer[],
            ${numbered.map(({ json }) => json)}::text[]
          ) as g (document_id, attempt, ordinal, json)
        ), sums as (
          select document_id, attempt, count(*)::integer as added from given group by 1, 2 order by 1, 2
        ), logs as (
          insert into cluster_ingestion_logs as l (document_id, attempt, events)
          select document_id, attempt, added from sums
          on conflict (document_id, attempt) do update
            set events = l.events + excluded.events, changed_at = clock_timestamp()
          returning document_id, attempt, events
        )
        insert into cluster_ingestion_events (document_id, attempt, number, json)
        select document_id, attempt, l.events - s.added + g.ordinal, g.json
        from given g join sums s using (document_id, attempt) join logs l using (document_id, attempt)`.execute(
        database,
      );
    },

    async read({ documentId, attempt }, after) {
      const { rows } = await sql<{ id: string; number: number | null; json: string | null }>`
        select l.id, e.number, e.json from cluster_ingestion_logs l
        left join lateral (
          select number, json from cluster_ingestion_events e
          where e.document_id = l.document_id and e.attempt = l.attempt
            and e.number > case when l.id = ${after?.id ?? ''} then ${after?.number ?? 0}::integer else 0 end
          order by number limit ${MAX_EVENTS}) e on true
        where l.document_id = ${documentId} and l.attempt = ${attempt} order by e.number`.execute(database);
      const events = rows.flatMap(({ number, json }) => (number === null || json === null ? [] : [{ number, json }]));
      return { id: rows[0]?.id, events };
    },

    async versions(submissions) {
      const { rows } = await sql<{ version: string | null }>`
        select l.id || ' ' || l.events as version
        from unnest(${documents(submissions)}::text[], ${submissions.map(({ attempt }) => attempt)}::integer[])
          with ordinality as s (document_id, attempt, place)
        left join cluster_ingestion_logs l using (document_id, attempt) order by s.place`.execute(database);
      return rows.map(({ version }) => version ?? undefined);
    },

    async trim({ retentionMs, maxLogs }) {
      await sql`
        delete from cluster_ingestion_logs
        where changed_at < clock_timestamp() - ${retentionMs} * interval '1 millisecond'
          or changed_at < (select changed_at from cluster_ingestion_logs order by changed_at desc offset ${maxLogs} limit 1)`.execute(
        database,
      );
    },
  };
}

const documents = (submissions: readonly SubmissionKey[]): string[] => submissions.map(({ documentId }) => documentId);
