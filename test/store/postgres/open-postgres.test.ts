import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LOCKS } from '../../../src/store/postgres/baseline/cluster-tables.ts';
import { type JoinOptions, joinServers } from '../../../src/store/postgres/join-servers.ts';
import { openPostgres, type PostgresOptions, refusePooler } from '../../../src/store/postgres/open-postgres.ts';
import { openConnections } from '../../../src/store/postgres/postgres-dialect.ts';
import { settingsMark } from '../../../src/store/postgres/prepared.ts';
import { describePostgres, postgresDatabase } from '../../support/engines.ts';
import { PATIENT } from '../../support/patience.ts';

async function open(options: PostgresOptions) {
  const database = await openPostgres({ readers: 1, ...options });
  onTestFinished(database.close);
  return database;
}

const refusal = (message: RegExp) => expect.objectContaining({ message: expect.stringMatching(message) });

describePostgres('A server', () => {
  it('still writes after its wait for a transaction was cancelled', async () => {
    const url = await postgresDatabase();
    const { writer } = await open({ url });
    const other = openConnections({ name: url, url, size: 1 });
    onTestFinished(() => other.destroy());
    const count = () =>
      writer.transaction().execute((transaction) => transaction.selectFrom('settings').selectAll().execute());
    const before = await count();
    await other.connection().execute(async (database) => {
      await sql.raw(`select pg_advisory_lock(${LOCKS}, 0)`).execute(database);
      const waiting = expect(count()).rejects.toThrow();
      const cancel = sql`select pg_cancel_backend(pid) from pg_stat_activity
        where wait_event = 'advisory' and datname = current_database()`;
      await expect.poll(async () => (await cancel.execute(database)).rows.length).toBeGreaterThan(0);
      await waiting;
      await sql.raw(`select pg_advisory_unlock(${LOCKS}, 0)`).execute(database);
    });
    expect(await count()).toEqual(before);
  });

  it('runs a query with settings of its own, which the next one does not have', async () => {
    const { reader } = await open({ url: await postgresDatabase() });
    const query = sql<{ jit: string }>`select current_setting('jit') as jit`;
    const usual = (await query.execute(reader)).rows;
    const settings = { jit: usual[0]?.jit === 'on' ? 'off' : 'on' };
    const own = await sql`${sql.raw(settingsMark(settings))}${query}`.execute(reader);
    expect(own.rows).toEqual([settings]);
    expect((await query.execute(reader)).rows).toEqual(usual);
    await expect(sql`${sql.raw(settingsMark(settings))}select 1 / 0`.execute(reader)).rejects.toThrow();
    expect((await query.execute(reader)).rows).toEqual(usual);
  });
});

describePostgres('Opening', () => {
  it('refuses an unreachable server and a missing database, without revealing passwords', async () => {
    const away = { url: 'postgres://me:geheim@127.0.0.1:1/citewell' };
    await expect(openPostgres(away)).rejects.toEqual(
      refusal(/^The database postgres:\/\/me@127.0.0.1:1\/citewell does not answer: .*ECONNREFUSED.*DATABASE_URL/),
    );
    const other = (await postgresDatabase()).replace(/test_\w+/, 'nothing');
    await expect(openPostgres({ url: other })).rejects.toEqual(
      refusal(/refuses the connection: .*"nothing" does not exist/),
    );
  });

  it('refuses the schema of a newer version, and changes nothing', async () => {
    const url = await postgresDatabase();
    const { writer, close } = await openPostgres({ url, readers: 1 });
    await sql`insert into kysely_migration values ('9999-later', 'now')`.execute(writer);
    await sql`update settings set value = '9999' where name = 'lowest_schema'`.execute(writer);
    await close();
    await expect(openPostgres({ url })).rejects.toEqual(refusal(/was written by a newer version/));
  });

  it('refuses a clock that differs by more than two seconds', async () => {
    const url = await postgresDatabase();
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 5_000);
    await expect(openPostgres({ url })).rejects.toEqual(refusal(/clocks .* [45]\.\d s apart/));
  });

  it('refuses a pooler that gives two connections the same session', async () => {
    const url = await postgresDatabase();
    const [one, other] = [1, 2].map(() => openConnections({ name: url, url, size: 1 }));
    onTestFinished(async () => {
      await one?.destroy();
      await other?.destroy();
    });
    if (one === undefined || other === undefined) throw new Error('Two connections are needed.');
    await expect(refusePooler(one, one)).rejects.toEqual(refusal(/PgBouncer with pool_mode = transaction/));
    await refusePooler(one, other);
  });

  it('replaces a connection that gives no answer', async () => {
    const url = await postgresDatabase();
    const connections = openConnections({ name: url, url, size: 1, answerWithinMs: () => 2_000 });
    onTestFinished(() => connections.destroy());
    const late = sql`select pg_sleep(600)`.execute(connections);
    await expect(late).rejects.toEqual(refusal(/has not answered a query within 2 s/));
    expect((await sql`select 1 as one`.execute(connections)).rows).toEqual([{ one: 1 }]);
  });

  it('admits several servers only when their vector index is shared', async () => {
    const url = await postgresDatabase();
    const shared = await open({ url });
    await open({ url });
    await expect(openPostgres({ url, isAlone: true })).rejects.toEqual(
      refusal(/this one has a Chroma of its own.*CHROMA_URL/),
    );
    expect((await shared.shared?.documentsInProgress(shared.reader, 'ingestion')) ?? ['none']).toEqual([]);
    const otherUrl = await postgresDatabase();
    const { close } = await openPostgres({ url: otherUrl, isAlone: true });
    await expect(openPostgres({ url: otherUrl })).rejects.toEqual(refusal(/that one has a Chroma of its own/));
    await close();
    await open({ url: otherUrl });
  });

  it('gives a connection back that could not be prepared', async () => {
    const url = await postgresDatabase();
    let statement = 'select 1 / 0';
    const connection = openConnections({ name: url, url, size: 1, session: () => statement });
    onTestFinished(() => connection.destroy());
    await expect(sql`select 1`.execute(connection)).rejects.toMatchObject({ code: 'store_failed' });
    statement = 'select 1';
    expect((await sql`select 2 as two`.execute(connection)).rows).toEqual([{ two: 2 }]);
  }, 20_000);

  it('ends an idle transaction that holds a lock needed by other servers', async () => {
    const { writer } = await open({ url: await postgresDatabase() });
    const { rows } = await sql`
      select current_setting('idle_in_transaction_session_timeout') as idle,
        current_setting('citewell.server') <> '' as is_known`.execute(writer);
    expect(rows).toEqual([{ idle: '1min', is_known: 1 }]);
  });
});

describePostgres('Servers that lose their connections at the same time', () => {
  it('take over neither work nor leadership from a server that reconnects shortly after', async () => {
    const url = await postgresDatabase();
    const join = async (options: Pick<JoinOptions, 'heartbeatMs'>) => {
      const server = await joinServers({ name: url, url, isAlone: false, ...options });
      onTestFinished(server.leave);
      return server;
    };
    const slow = await join({ heartbeatMs: 300 });
    const quick = await join({ heartbeatMs: 20 });
    expect([slow.isLeader(), quick.isLeader()]).toEqual([true, false]);
    let found = 0;
    quick.onGone(() => found++);
    let led = 0;
    quick.onLeadership(
      () => led++,
      () => {},
    );
    let paused = 0;
    slow.onLeadership(
      () => {},
      () => paused++,
    );

    const connection = openConnections({ name: url, url, size: 1 });
    onTestFinished(() => connection.destroy());
    const ended = await connection.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ pid: number }>`
        select pid, pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(transaction);
      // As after a restart of ten seconds.
      await sql`update cluster_servers set seen_at = seen_at - interval '10 seconds'`.execute(transaction);
      return rows.map(({ pid }) => pid);
    });
    await vi.waitFor(async () => {
      const { rows } = await sql<{ pid: number }>`
        select pid from pg_locks where locktype = 'advisory' and granted and objsubid = 2
          and objid in (select key::oid from cluster_servers)
          and database = (select oid from pg_database where datname = current_database())`.execute(connection);
      expect(rows.map(({ pid }) => ended.includes(pid))).toEqual([false, false]);
      expect(slow.isLeader()).toBe(true);
    }, PATIENT);
    expect([found, led, paused, quick.isLeader()]).toEqual([0, 0, 0, false]);
  });
});
