/**
 * Work in progress that any server can follow. Rows live for minutes and change often: half of each page is left free,
 * so that updates stay on the page and touch no index (HOT updates).
 */
export const sharedStateTables: readonly string[] = [
  `create table cluster_runs (
    id TEXT primary key, owner_id TEXT not null, kind TEXT not null, conversation_id TEXT,
    server_key bigint not null, state TEXT not null default 'running', is_cancelled boolean not null default false,
    events integer not null default 0, size bigint not null default 0,
    read_to integer not null default 0, watched_until timestamptz,
    lost_event TEXT not null, lost_json TEXT not null,
    started_at timestamptz not null default clock_timestamp(), ended_at timestamptz
  ) with (fillfactor = 50)`,
  'create index cluster_runs_by_owner on cluster_runs (owner_id)',
  'create index cluster_runs_by_server on cluster_runs (server_key, ended_at)',
  'create index cluster_runs_by_end on cluster_runs (ended_at)',
  `create table cluster_run_events (
    run_id TEXT not null references cluster_runs (id) on delete cascade,
    number integer not null, event TEXT not null, json TEXT not null, primary key (run_id, number)
  )`,
  `create table cluster_files (
    run_id TEXT not null, name TEXT not null, owner_id TEXT not null, server_key bigint not null,
    media_type TEXT not null, content_hash TEXT not null, size bigint not null, bytes bytea not null,
    kept_at timestamptz not null default clock_timestamp(), primary key (run_id, name)
  )`,
  'create index cluster_files_by_owner on cluster_files (owner_id)',
  'create index cluster_files_by_server on cluster_files (server_key, kept_at)',
  'create index cluster_files_by_time on cluster_files (kept_at)',
  `create table cluster_ingestion_logs (
    document_id TEXT not null, attempt integer not null, id TEXT not null default gen_random_uuid()::text,
    events integer not null, changed_at timestamptz not null default clock_timestamp(),
    primary key (document_id, attempt)
  )`,
  'create index cluster_ingestion_logs_by_time on cluster_ingestion_logs (changed_at)',
  `create table cluster_ingestion_events (
    document_id TEXT not null, attempt integer not null, number integer not null, json TEXT not null,
    primary key (document_id, attempt, number),
    foreign key (document_id, attempt) references cluster_ingestion_logs (document_id, attempt) on delete cascade
  )`,
  `create table cluster_citation_sessions (
    name TEXT primary key, last integer not null, used_at timestamptz not null default clock_timestamp()
  ) with (fillfactor = 50)`,
  'create index cluster_citation_sessions_by_time on cluster_citation_sessions (used_at)',
  `create table cluster_citations (
    session TEXT not null references cluster_citation_sessions (name) on delete cascade,
    number integer not null, key TEXT not null, json TEXT, primary key (session, number)
  )`,
];

export const sharedStateTriggers: readonly string[] = [
  // A server that shuts down deletes its own row; the row of one that died is deleted by the others.
  `create function cluster_end_runs() returns trigger language plpgsql as $$ begin
    with lost as (
      update cluster_runs set state = 'failed', ended_at = clock_timestamp(), events = events + 1,
        size = size + length(lost_json)
      where server_key = old.key and state = 'running' returning id, events, lost_event, lost_json)
    insert into cluster_run_events (run_id, number, event, json) select id, events, lost_event, lost_json from lost;
    return null; end $$`,
  `create trigger cluster_end_runs after delete on cluster_servers for each row execute function cluster_end_runs()`,
  // Locks rows in the same order as appending events does, to avoid deadlocks.
  `create function cluster_forget_ingestions() returns trigger language plpgsql as $$ begin
    delete from cluster_ingestion_logs where (document_id, attempt) in (
      select document_id, attempt from cluster_ingestion_logs where document_id in (select id from gone)
      order by 1, 2 for update);
    return null; end $$`,
  `create trigger cluster_forget_ingestions after delete on documents referencing old table as gone
    for each statement execute function cluster_forget_ingestions()`,
];
