import { type Kysely, sql } from 'kysely';
import type { SharedRun, SharedRunEvent, SharedRuns } from '../../shared-state.ts';
import type { Tables } from '../../sql/schema.ts';

/** Maximum rows and characters of events per read; at least one event is returned. */
const PART = { events: 256, characters: 1_000_000 };

/** Uses the clock of the database, and only single statements, which never wait for the write lock of the records. */
export function createPostgresRuns(database: Kysely<Tables>, serverKey: number): SharedRuns {
  return {
    async insert({ id, ownerId, kind, conversationId, lost }) {
      await sql`
        insert into cluster_runs (id, owner_id, kind, conversation_id, server_key, lost_event, lost_json)
        values (${id}, ${ownerId}, ${kind}, ${conversationId}, ${serverKey}, ${lost.event}, ${lost.json})`.execute(
        database,
      );
    },

    async write(progress) {
      const events = progress.flatMap(({ id, first, events }) =>
        events.map((event, index) => ({ id, number: first + index, ...event })),
      );
      const { rows } = await sql<{ id: string }>`
        with progress as (
          select * from unnest(
            ${progress.map(({ id }) => id)}::text[],
            ${progress.map((run) => run.first - 1 + run.events.length)}::integer[],
            ${progress.map((run) => charactersOf(run.events))}::bigint[],
            ${progress.map(({ state }) => state)}::text[]
          ) as p (id, events, size, state)
        ), written as (
          update cluster_runs r set state = p.state, events = greatest(r.events, p.events), size = r.size + p.size,
            ended_at = case when p.state <> 'running' then clock_timestamp() end
          from progress p where r.id = p.id and r.server_key = ${serverKey} and r.state = 'running' returning r.id
        ), added as (
          insert into cluster_run_events (run_id, number, event, json)
          select e.* from unnest(
            ${events.map(({ id }) => id)}::text[],
            ${events.map(({ number }) => number)}::integer[],
            ${events.map(({ event }) => event)}::text[],
            ${events.map(({ json }) => json)}::text[]
          ) as e (run_id, number, event, json) join written w on w.id = e.run_id
          on conflict do nothing
        )
        select id from written
        -- An earlier write of the end was committed, but its confirmation was lost.
        union select id from cluster_runs join progress p using (id)
          where server_key = ${serverKey} and p.state <> 'running'
            and (cluster_runs.state, cluster_runs.events) = (p.state, p.events)`.execute(database);
      return new Set(rows.map(({ id }) => id));
    },

    async requests() {
      const { rows } = await sql<{ id: string; is_cancelled: number; read_to: number | null }>`
        select id, is_cancelled, case when watched_until > clock_timestamp() then read_to end as read_to
        from cluster_runs where server_key = ${serverKey} and ended_at is null and state = 'running'`.execute(database);
      return new Map(
        rows.map((row) => [row.id, { isCancelled: row.is_cancelled === 1, readTo: row.read_to ?? undefined }]),
      );
    },

    async get(id) {
      const { rows } = await sql<RunRow>`select ${COLUMNS} from cluster_runs where id = ${id}`.execute(database);
      return rows.map(toRun)[0];
    },

    async list(ownerId) {
      const { rows } = await sql<RunRow>`
        select ${COLUMNS} from cluster_runs where owner_id = ${ownerId} order by started_at desc, id`.execute(database);
      return rows.map(toRun);
    },

    async events(id, after) {
      const { rows } = await sql<SharedRunEvent & { number: number }>`
        select number, event, json from (
          select *, sum(length(json)) over (order by number) - length(json) as before from (
            select number, event, json from cluster_run_events where run_id = ${id} and number > ${after}
            order by number limit ${PART.events}) part) sized
        where before < ${PART.characters} order by number`.execute(database);
      return rows;
    },

    async versions(ids) {
      const { rows } = await sql<{ id: string; version: string }>`
        select id, events || ' ' || state as version from cluster_runs where id = any(${ids}::text[])`.execute(
        database,
      );
      return new Map(rows.map(({ id, version }) => [id, version]));
    },

    async announceReaders(places) {
      // Skips locked rows, so that it cannot deadlock with the server that writes the runs.
      await sql`
        update cluster_runs r set read_to = greatest(r.read_to, p.read_to),
          watched_until = clock_timestamp() + interval '3 seconds'
        from unnest(${[...places.keys()]}::text[], ${[...places.values()]}::integer[]) as p (id, read_to)
        where r.id = p.id and r.id in (
          select id from cluster_runs where id = any(${[...places.keys()]}::text[]) and state = 'running'
          for no key update skip locked)`.execute(database);
    },

    async cancel(id) {
      await sql`update cluster_runs set is_cancelled = true where id = ${id} and state = 'running'`.execute(database);
    },

    async remove(ids) {
      await sql`delete from cluster_runs where id = any(${ids}::text[])`.execute(database);
    },

    async removeOfOwner(ownerId) {
      await sql`delete from cluster_runs where owner_id = ${ownerId}`.execute(database);
    },

    async trim({ retentionMs, maxRuns, maxCharacters }) {
      const expired = sql`clock_timestamp() - ${retentionMs} * interval '1 millisecond'`;
      // Also deletes runs begun by a server after the others had removed it: nothing else would ever end them.
      await sql`
        delete from cluster_runs where ended_at < ${expired} or (ended_at is null and started_at < ${expired}
          and server_key not in (select key from cluster_servers))`.execute(database);
      // The most recent run is kept regardless of its size: its reader may not have finished.
      await sql`
        delete from cluster_runs where id in (
          select id from (
            select id, row_number() over latest as place, sum(size) over latest as total from cluster_runs
            where server_key = ${serverKey} and ended_at is not null
            window latest as (order by ended_at desc, id)) kept
          where place > 1 and (place > ${maxRuns} or total > ${maxCharacters}))`.execute(database);
    },
  };
}

const charactersOf = (events: readonly SharedRunEvent[]): number =>
  events.reduce((sum, { json }) => sum + json.length, 0);

interface RunRow {
  readonly id: string;
  readonly owner_id: string;
  readonly kind: string;
  readonly conversation_id: string | null;
  readonly state: SharedRun['state'];
  readonly is_cancelled: number;
  readonly events: number;
  readonly started_at: Date;
  readonly ended_at: Date | null;
}

const COLUMNS = sql.raw('id, owner_id, kind, conversation_id, state, is_cancelled, events, started_at, ended_at');

const toRun = (row: RunRow): SharedRun => ({
  id: row.id,
  ownerId: row.owner_id,
  kind: row.kind,
  conversationId: row.conversation_id,
  state: row.state,
  isCancelled: row.is_cancelled === 1,
  events: row.events,
  startedAt: row.started_at,
  endedAt: row.ended_at,
});
