import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import type { Agent } from '../../src/agent/agent.ts';
import type { AgentEvent } from '../../src/agent/agent-event.ts';
import { everything } from '../../src/documents/filter.ts';
import { createResearchService } from '../../src/mcp/research-service.ts';
import type { NumberedEvent, RunEvent } from '../../src/runs/run.ts';
import { defaultRunLogSettings, type RunLogSettings, type StartRun } from '../../src/runs/run-log.ts';
import { SharedMadeFiles } from '../../src/runs/shared-made-files.ts';
import { SharedRunLog } from '../../src/runs/shared-run-log.ts';
import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { openConnections } from '../../src/store/postgres/postgres-dialect.ts';
import { createPostgresRuns } from '../../src/store/postgres/shared-state/postgres-runs.ts';
import { describePostgres, postgresDatabase } from '../support/engines.ts';
import { PATIENT } from '../support/patience.ts';
import { embeddingText } from '../support/store.ts';

const never = new AbortController().signal;
const log = { error: () => {} };
const event = (text: string): RunEvent => ({ event: 'message', json: JSON.stringify({ text }) });

const agentRun = (produce: StartRun['produce'], change: Partial<StartRun> = {}): StartRun => ({
  ownerId: 'owner',
  kind: 'agent',
  conversationId: null,
  isResumable: true,
  produce,
  onFailure: (thrown) => ({ event: 'error', json: JSON.stringify({ message: String(thrown) }) }),
  ...change,
});

/** Produces an event every few milliseconds, until it is aborted. */
const ticking = (made: { count: number }): StartRun['produce'] =>
  async function* (signal) {
    for (;;) {
      yield event(String(++made.count));
      await sleep(2, undefined, { signal });
    }
  };

async function openServer(url: string, change: Partial<RunLogSettings> = {}) {
  const store = await openPostgresStore({ url, index: memoryVectorIndex(), embeddingText, readers: 1 });
  onTestFinished(() => store.close());
  const { sharedState } = store;
  if (sharedState === undefined) throw new Error('The state should be shared.');
  const runs = new SharedRunLog(sharedState.runs, { ...defaultRunLogSettings, ...change }, () => {});
  onTestFinished(() => runs.close());
  return { store, runs, files: new SharedMadeFiles(sharedState.files, () => {}) };
}

async function openTwo(change: Partial<RunLogSettings> = {}) {
  const url = await postgresDatabase();
  return [await openServer(url, change), await openServer(url, change)] as const;
}

async function take(events: AsyncGenerator<NumberedEvent, void>, count: number): Promise<NumberedEvent[]> {
  const taken: NumberedEvent[] = [];
  while (taken.length < count) {
    const { value } = await events.next();
    if (value === undefined) break;
    taken.push(value);
  }
  return taken;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describePostgres('A run', () => {
  it('can be followed from any server while it continues, without gaps or repetitions', async () => {
    const [one, two] = await openTwo();
    const { id } = await one.runs.start(
      agentRun(async function* () {
        for (let number = 1; number <= 400; number++) {
          yield event(`piece ${number}`);
          await sleep(2);
        }
      }),
    );
    const steady = Array.fromAsync((await one.runs.get(id, 'owner')).follow(0, never));
    const received: NumberedEvent[] = [];
    for (const [place, count] of [3, 40, 1, 90, 17, 60].entries()) {
      const run = await (place % 2 === 0 ? two : one).runs.get(id, 'owner');
      const events = run.follow(received.length, never);
      received.push(...(await take(events, count)));
      await events.return();
    }
    received.push(...(await Array.fromAsync((await two.runs.get(id, 'owner')).follow(received.length, never))));
    expect(received.map(({ number }) => number)).toEqual(numbers(400));
    expect(received).toEqual(await steady);
    expect(await two.runs.list('owner')).toMatchObject([{ id, status: 'ended', events: 400 }]);
    await expect(two.runs.get(id, 'somebody else')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is cancelled from another server', async () => {
    const [one, two] = await openTwo();
    const made = { count: 0 };
    const { id } = await one.runs.start(agentRun(ticking(made)));
    const run = await two.runs.get(id, 'owner');
    await run.cancel();
    expect(await run.readRecord()).toMatchObject({ status: 'cancelled', endedAt: expect.any(Date) });
    const events = await Array.fromAsync(run.follow(0, never));
    expect(events.at(-1)).toMatchObject({ event: 'error', json: expect.stringContaining('The run was cancelled.') });
    const count = made.count;
    await sleep(30);
    expect(made.count).toBe(count);
  });

  it('continues for a reader on another server, is slowed down by it, and ends when it has left', async () => {
    const [one, two] = await openTwo({ graceMs: 700 });
    const made = { count: 0 };
    const run = await one.runs.start(agentRun(ticking(made), { isResumable: false }));
    const first = run.follow(0, never);
    await take(first, 3);
    const second = (await two.runs.get(run.id, 'owner')).follow(3, never);
    await take(second, 1);
    await sleep(1_000);
    await first.return();
    await sleep(1_500);
    expect(await run.readRecord()).toMatchObject({ status: 'running' });
    const ahead = made.count;
    expect(ahead).toBeLessThan(300);
    await take(second, 300);
    await expect.poll(() => made.count, PATIENT).toBeGreaterThan(ahead);
    await second.return();
    await expect.poll(async () => (await run.readRecord()).status, PATIENT).toBe('cancelled');
  });

  it('ends with a clear event when its server is gone, and on that server when it comes back', async () => {
    const [one, two] = await openTwo();
    const made = { count: 0 };
    const run = await one.runs.start(agentRun(ticking(made)));
    const onOne = Array.fromAsync(run.follow(0, never));
    onOne.catch(() => {});
    const events = (await two.runs.get(run.id, 'owner')).follow(0, never);
    const received = await take(events, 5);
    const { shared, writer } = two.store.sqlite;
    expect(shared).toBeDefined();
    await sql`delete from cluster_servers where key = (select server_key from cluster_runs)`.execute(writer);
    received.push(...(await Array.fromAsync(events)));
    expect(received.map(({ number }) => number)).toEqual(numbers(received.length));
    expect(received.filter(({ event }) => event === 'error')).toEqual([received.at(-1)]);
    expect(received.at(-1)?.json).toContain('The server handling this request ended');
    expect(await two.runs.list('owner')).toMatchObject([{ status: 'failed', events: received.length }]);
    await expect(onOne).rejects.toThrow('ended by another server');
    await run.untilEnded(never);
  });

  it('is removed with its user by any server, and so are files', async () => {
    const [one, two] = await openTwo();
    const run = await one.runs.start(agentRun(ticking({ count: 0 })));
    const file = await one.files.keep('owner', [{ name: 'a', mediaType: 'text/plain', bytes: Buffer.from('abc') }]);
    expect(Buffer.from((await two.files.get('owner', file, 'a')).bytes).toString()).toBe('abc');
    await two.runs.removeOfOwner('owner');
    await two.files.removeOfOwner('owner');
    await run.untilEnded(never);
    await expect(one.files.get('owner', file, 'a')).rejects.toMatchObject({ code: 'not_found' });
    expect(await one.runs.list('owner')).toEqual([]);
    await expect
      .poll(
        () =>
          one.runs.get(run.id, 'owner').then(
            () => 'kept',
            ({ code }) => code,
          ),
        PATIENT,
      )
      .toBe('not_found');
  });

  it('of research is read and cancelled by MCP clients of another server', async () => {
    const [one, two] = await openTwo();
    const agent: Agent = {
      prepare: async () => ({
        conversationId: 'talk',
        async *events(signal): AsyncGenerator<AgentEvent, void> {
          yield { type: 'tool_call', call: { id: '1', name: 'content', arguments: { query: 'rivers' } } };
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      }),
    };
    const { id } = await createResearchService({ agent, runs: one.runs, log }, defaultAdmin).start('Why?', everything);
    const elsewhere = createResearchService({ agent, runs: two.runs, log }, defaultAdmin);
    const read = async () => elsewhere.read(id, 0, never);
    await expect.poll(async () => (await read()).steps, PATIENT).toEqual(['content: rivers']);
    expect(await read()).toMatchObject({ question: 'Why?', status: 'running' });
    expect(await elsewhere.cancel(id)).toMatchObject({ status: 'cancelled', failure: 'The run was cancelled.' });
  });

  it('that failed before anything was written says why, to clients of MCP too', async () => {
    const [one, two] = await openTwo();
    const { sharedState } = one.store;
    const lost = { event: 'error', json: '"Its server ended."' };
    const run = { id: 'lost', ownerId: defaultAdmin.userId, kind: 'research', conversationId: null, lost };
    await sharedState?.runs.insert(run);
    await sql`delete from cluster_servers where key = (select server_key from cluster_runs)`.execute(
      two.store.sqlite.writer,
    );
    const elsewhere = createResearchService({ agent: {} as Agent, runs: two.runs, log }, defaultAdmin);
    expect(await elsewhere.read('lost', 0, never)).toMatchObject({ status: 'failed', failure: 'Its server ended.' });
  });

  it('continues when the database closed the connections', async () => {
    const [one, two] = await openTwo();
    const run = await one.runs.start(
      agentRun(async function* () {
        for (let number = 1; number <= 100; number++) {
          yield event(String(number));
          await sleep(10);
        }
      }),
    );
    const events = run.follow(0, never);
    await take(events, 10);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(two.store.sqlite.writer);
    expect(await Array.fromAsync(events)).toHaveLength(90);
    const read = async () => Array.fromAsync((await two.runs.get(run.id, 'owner')).follow(0, never));
    expect((await read()).map(({ number }) => number)).toEqual(numbers(100));
  });
});

describePostgres('The records of runs', () => {
  const lost = event('lost');
  const newRun = (id: string) => ({ id, ownerId: 'owner', kind: 'agent', conversationId: null, lost });

  async function openRecords(serverKey: number) {
    const url = await postgresDatabase();
    const database = openConnections({ name: url, url, size: 3 });
    onTestFinished(() => database.destroy());
    return { database, runs: createPostgresRuns(database, serverKey) };
  }

  it('accept the end of a run twice, e.g. when the first response was lost', async () => {
    const { runs } = await openRecords(1);
    await runs.insert(newRun('a'));
    const end = [{ id: 'a', first: 1, events: [event('all')], state: 'ended' as const }];
    expect(await runs.write(end)).toEqual(new Set(['a']));
    expect(await runs.write(end)).toEqual(new Set(['a']));
    expect(await runs.events('a', 0)).toHaveLength(1);
    expect(await runs.write([{ id: 'a', first: 2, events: [], state: 'cancelled' }])).toEqual(new Set());
  });

  it('do not delay the announcement that a run is being read', async () => {
    const { database, runs } = await openRecords(1);
    await runs.insert(newRun('a'));
    await runs.insert(newRun('b'));
    const places = new Map([
      ['a', 3],
      ['b', 3],
    ]);
    await database.transaction().execute(async (transaction) => {
      await sql`select id from cluster_runs where id = 'a' for update`.execute(transaction);
      await runs.announceReaders(places);
    });
    const readTo = async () => [...(await runs.requests())].map(([id, wish]) => [id, wish.readTo]).sort();
    expect(await readTo()).toEqual([
      ['a', undefined],
      ['b', 3],
    ]);
    await runs.announceReaders(places);
    expect(await readTo()).toEqual([
      ['a', 3],
      ['b', 3],
    ]);
  });

  it('do not keep a run for ever that its server cannot end', async () => {
    const { database, runs } = await openRecords(1);
    await runs.insert(newRun('new'));
    await runs.insert(newRun('old'));
    await sql`update cluster_runs set started_at = now() - interval '1 hour' where id = 'old'`.execute(database);
    await runs.trim(defaultRunLogSettings);
    expect((await runs.list('owner')).map(({ id }) => id)).toEqual(['new']);
  });
});
