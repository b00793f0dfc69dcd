import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openPgvector } from '../../../src/store/pgvector/pgvector-index.ts';
import { openPostgres, type PostgresOptions } from '../../../src/store/postgres/open-postgres.ts';
import { describePgvector, describePostgres, pgvectorDatabase, postgresDatabase } from '../../support/engines.ts';

/** A connection to the database that can go dead without being closed, as behind a firewall that drops packets. */
async function throughProxy(url: string) {
  const { pathname, searchParams } = new URL(url);
  const socket = join(searchParams.get('host') ?? '', '.s.PGSQL.5432');
  const open = new Set<Socket>();
  const dead = new Set<Socket>();
  const proxy = createServer((client) => {
    const database = createConnection(socket);
    open.add(client);
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (bytes) => !dead.has(client) && to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => to.destroy());
    };
    pass(client, database);
    pass(database, client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    for (const client of open) client.destroy();
    proxy.close();
  });
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `postgresql://${searchParams.get('user')}@127.0.0.1:${port}${pathname}`,
    /** Every connection there is carries nothing more; new ones do. */
    swallow: () => {
      for (const client of open) dead.add(client);
    },
  };
}

async function open(answerWithinMs: PostgresOptions['answerWithinMs'] & object, isCopying = false) {
  const { url, swallow } = await throughProxy(await postgresDatabase());
  const limits = { presence: 500, ...answerWithinMs };
  const database = await openPostgres({ url, readers: 1, answerWithinMs: limits, isCopying });
  onTestFinished(database.close);
  return { ...database, swallow };
}

const warnings: string[] = [];
const note = ({ message }: Error) => void warnings.push(message);
beforeAll(() => void process.on('warning', note));
afterAll(() => {
  process.off('warning', note);
  // Sent over a connection that still waits for an answer, a query would wait as long again.
  expect(warnings.filter((each) => /already executing a query/.test(each))).toEqual([]);
});

const noAnswer = expect.objectContaining({
  code: 'store_failed',
  message: expect.stringMatching(/has not answered a query within/),
  publicMessage: 'The database does not answer. Try again later.',
});

describePostgres('A database that no longer answers, over connections that stay open', () => {
  it('fails a write and the rest of its transaction, and then writes over a new connection', async () => {
    const { writer, swallow } = await open({ writing: 500 });
    const lost = writer.transaction().execute(async (transaction) => {
      swallow();
      await sql`select 1`.execute(transaction);
    });
    await expect(lost).rejects.toEqual(noAnswer);
    const { rows } = await writer.transaction().execute((transaction) => sql`select 1 as one`.execute(transaction));
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('fails a search, and searches over a new connection', async () => {
    const { reader, search, swallow } = await open({ reading: 500, grace: 100 });
    const read = () => search.call('readChunks', { keys: [1], at: undefined });
    expect(await read()).toEqual(new Map());
    // The end of the search's transaction is not waited for; this waits for it.
    await sql`select 1`.execute(reader);
    swallow();
    await expect(read()).rejects.toEqual(noAnswer);
    expect(await read()).toEqual(new Map());
  });
});

describePostgres('A server whose cluster connection no longer answers', () => {
  it('reports that, and recovers over a new connection', async () => {
    const { problem, swallow } = await open({});
    expect(problem?.()).toBeUndefined();
    swallow();
    await expect.poll(() => problem?.()).toMatch(/does not answer/);
    await expect.poll(() => problem?.()).toBeUndefined();
  });
});

describePgvector('Vectors in a database that no longer answers', () => {
  it('fail, and are stored and searched over a new connection', async () => {
    const { url, swallow } = await throughProxy(await pgvectorDatabase());
    const index = await openPgvector({ url, connections: 1, answerWithinMs: 500 });
    onTestFinished(() => index.close());
    const collection = await index.open('letters', 2);
    const records = [{ key: 1, vector: Float32Array.of(1, 0) }];
    swallow();
    await expect(collection.upsert(records)).rejects.toEqual(noAnswer);
    await collection.upsert(records);
    expect(await collection.nearest(Float32Array.of(1, 0), 1)).toEqual([{ key: 1, distance: 0 }]);
  });
});

describePostgres('A query that takes too long', () => {
  it('is ended by the server when it reads, and its connection is kept', async () => {
    const { reader } = await open({ reading: 300 });
    const pid = () => sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(reader);
    const before = (await pid()).rows;
    await expect(sql`select pg_sleep(60)`.execute(reader)).rejects.toMatchObject({ code: 'timeout' });
    expect((await pid()).rows).toEqual(before);
  });

  it('goes on in a process that copies whole tables', async () => {
    const { reader, writer } = await open({ reading: 100, writing: 100 }, true);
    for (const database of [reader, writer]) {
      expect((await sql`select 1 as one from pg_sleep(0.4)`.execute(database)).rows).toEqual([{ one: 1 }]);
    }
  });
});
