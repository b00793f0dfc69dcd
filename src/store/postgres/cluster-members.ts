import { hostname } from 'node:os';
import { type Kysely, sql } from 'kysely';
import type { ClusterMember, ProcessRole } from '../other-servers.ts';
import type { Tables } from '../sql/schema.ts';
import type { Queries } from '../sql/vector-spaces/space-rows.ts';
import { LEADER, LEASE_SECONDS, LOCKS } from './baseline/cluster-tables.ts';
import type { RunQuery } from './serialise-queries.ts';
import type { VectorIndexKind } from './vector-index-kind.ts';

export interface Announced {
  /** Whether the vector index belongs to this server only, so that no other server may use the database. */
  readonly isAlone: boolean;
  /** Whether this process only copies the records and needs exclusive use of the database. */
  readonly isCopying?: boolean;
  /** The number of the last migration step that this server knows. */
  readonly knowsSchema?: number;
  /** The kind of vector index, which must be the same for all servers. */
  readonly vectorIndex?: VectorIndexKind;
  readonly role?: ProcessRole;
  /** Version of the program. */
  readonly version?: string;
}

/**
 * A random key, unique with high probability. A sequence could assign a key twice: after a failover that loses a
 * commit, the server that already has the key may still be running.
 */
const RANDOM_KEY = `1 + floor(random() * ${LEADER - 1})::bigint`;

/** Inserts or renews the row of this process, and takes its lock unless this session already holds it. */
export async function announce(
  query: RunQuery,
  known: number | undefined,
  own: Announced,
): Promise<{ readonly key: number; readonly seenAt: string }> {
  const { isAlone, isCopying = false, knowsSchema = 0, vectorIndex = 'chroma', role = 'server', version = '' } = own;
  const name = `${hostname()}:${process.pid}`;
  const values = [isAlone || isCopying, isCopying, knowsSchema, vectorIndex, role, name, version];
  const columns = 'is_alone, is_copying, knows_schema, vector_index, role, name, version';
  const { rows } = await query(
    known === undefined
      ? {
          text: `insert into cluster_servers (${columns}, key) values ($1, $2, $3, $4, $5, $6, $7, ${RANDOM_KEY})
            returning key, seen_at::text`,
          values,
        }
      : {
          text: `insert into cluster_servers (${columns}, key) values ($1, $2, $3, $4, $5, $6, $7, $8)
            on conflict (key) do update set seen_at = clock_timestamp() returning key, seen_at::text`,
          values: [...values, known],
        },
  );
  const key = Number(rows[0].key);
  await takeLock(query, key);
  return { key, seenAt: rows[0].seen_at };
}

/**
 * Compares the heartbeat of this process in the database with the last one that was confirmed: `earlier` means that the
 * database lost writes; `missing`, that the row is gone, e.g. because other servers took this process for dead.
 */
export async function checkHeartbeat(
  query: RunQuery,
  key: number,
  seenAt: string,
): Promise<'present' | 'earlier' | 'missing'> {
  const text = 'select seen_at < $2::timestamptz as is_earlier from cluster_servers where key = $1';
  const [row] = (await query({ text, values: [key, seenAt] })).rows;
  if (row === undefined) return 'missing';
  return row.is_earlier ? 'earlier' : 'present';
}

/** Takes the lock until the session ends; true if this session now holds it or already did. */
export async function takeLock(query: RunQuery, key: number): Promise<boolean> {
  const { rows } = await query({
    text: `select exists (select 1 from pg_locks l where l.pid = pg_backend_pid() and l.locktype = 'advisory' and l.granted
      and l.classid = ${LOCKS} and l.objid = $1::int::oid and l.objsubid = 2) as has`,
    values: [key],
  });
  if (rows[0].has) return true;
  const taken = await query({ text: `select pg_try_advisory_lock(${LOCKS}, $1) as has`, values: [key] });
  return taken.rows[0].has;
}

const heldLocks = `pg_locks l where l.locktype = 'advisory' and l.granted and l.classid = ${LOCKS} and l.objsubid = 2
  and l.database = (select oid from pg_database where datname = current_database())`;

/** A process that is connected now. */
interface ConnectedServer {
  readonly key: number;
  /** Version of the program. */
  readonly version: string;
  readonly knowsSchema: number;
}

export async function connectedServers(database: Queries): Promise<readonly ConnectedServer[]> {
  const { rows } = await sql<ConnectedServer>`
    select s.key, s.version, s.knows_schema as "knowsSchema" from cluster_servers s where exists (
      select 1 from ${sql.raw(heldLocks)} and l.objid = s.key::oid)`.execute(database);
  return rows;
}

/** Application name of a server's writer connection, by which other servers can find and terminate it. */
export const writerName = (key: number): string => `citewell writer ${key}`;

/**
 * Terminates the connections of processes whose lease has expired, e.g. suspended ones, because their locks and open
 * transactions would block all others. A process that resumes reconnects.
 */
export async function endSilent(query: RunQuery): Promise<void> {
  const silent = `from cluster_servers s where s.seen_at < clock_timestamp() - interval '${LEASE_SECONDS} seconds'`;
  await query({
    text: `select pg_terminate_backend(pid) from (
      select l.pid from ${heldLocks} and l.objid in (select s.key::oid ${silent})
      union select a.pid from pg_stat_activity a
        where a.datname = current_database() and a.application_name in (select 'citewell writer ' || s.key ${silent})
    ) as connections`,
  });
}

/** Deletes the row of this process. If it still has tasks, marks it as dead instead, so that others take them over. */
export async function forgetOwn(query: RunQuery, key: number): Promise<void> {
  const hasTasks = 'exists (select 1 from cluster_claims where server_key = $1)';
  await query({ text: `delete from cluster_servers where key = $1 and not ${hasTasks}`, values: [key] });
  await query({ text: 'update cluster_servers set seen_at = to_timestamp(0) where key = $1', values: [key] });
}

interface MemberRow extends Pick<ClusterMember, 'role' | 'name' | 'version'> {
  readonly key: number;
  readonly tasks: number;
  /** 0 or 1, like all booleans that the record store reads. */
  readonly leads: number;
  readonly started: number;
  readonly seen: number;
}

export async function listMembers(database: Kysely<Tables>): Promise<ClusterMember[]> {
  const held = sql.raw(heldLocks);
  const { rows } = await sql<MemberRow>`
    select s.key, s.role, s.name, s.version,
      extract(epoch from s.started_at)::float8 as started, extract(epoch from s.seen_at)::float8 as seen,
      (select count(*) from cluster_claims c where c.server_key = s.key) as tasks,
      exists (select 1 from ${held} and l.objid = s.key::oid
        and l.pid in (select l.pid from ${held} and l.objid = ${sql.lit(LEADER)}::oid)) as leads
    from cluster_servers s where s.key in (select key from cluster_servers_running) order by s.started_at, s.key`.execute(
    database,
  );
  return rows.map(({ leads, started, seen, ...row }) => ({
    ...row,
    leads: leads === 1,
    startedAt: new Date(started * 1000),
    seenAt: new Date(seen * 1000),
  }));
}
