import type { ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LEXICAL_EMBEDDING } from '../../src/embeddings/built-in-names.ts';
import { openConnections } from '../../src/store/postgres/postgres-dialect.ts';
import { startEmbeddedChroma } from '../support/embedded-chroma.ts';
import { describePostgres, postgresDatabase } from '../support/engines.ts';
import { chatReply, embeddingsFor, openAiError, startFakeOpenAi } from '../support/fake-openai.ts';
import { type ReceivedRequest, slowly } from '../support/fake-provider.ts';
import { PATIENT, PROMPTLY_MS } from '../support/patience.ts';
import { type RunningServer, runCitewell, startCitewell } from '../support/run-citewell.ts';
import { suspend } from '../support/suspend.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Settings of servers that share a database and a Chroma. */
async function sharedSettings(): Promise<{ readonly url: string; readonly env: Readonly<Record<string, string>> }> {
  const url = await postgresDatabase();
  const chroma = await startEmbeddedChroma();
  onTestFinished(() => chroma.close());
  if (chroma.server.kind !== 'running') throw new Error('Chroma should run.');
  return { url, env: { CITEWELL_DATABASE_URL: url, CHROMA_URL: chroma.server.url } };
}

async function start(env: Readonly<Record<string, string>>): Promise<RunningServer & { readonly cwd: string }> {
  const cwd = await temporaryFolder();
  const server = await startCitewell({ cwd, env });
  onTestFinished(server.kill);
  return { ...server, cwd };
}

async function call<Result>({ url }: RunningServer, path: string, body?: object | FormData): Promise<Result> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${url}/v3/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
    ...(!isForm && { headers: { 'content-type': 'application/json' } }),
  });
  const { results } = (await response.json()) as { results: Result };
  expect(response.status, JSON.stringify(results)).toBeLessThan(300);
  return results;
}

interface Found {
  readonly chunk_search_results: readonly { readonly document_id: string; readonly text: string }[];
  readonly graph_search_results: readonly unknown[];
}

const find = (server: RunningServer, query: string): Promise<Found> =>
  call(server, 'retrieval/search', { query, search_settings: { use_hybrid_search: true, limit: 3 } });
const textsOf = ({ chunk_search_results: hits }: Found) => hits.map(({ text }) => text).join('\n');

async function upload(server: RunningServer, text: string): Promise<string> {
  const form = new FormData();
  form.set('raw_text', text);
  return (await call<{ document_id: string }>(server, 'documents', form)).document_id;
}

describePostgres('Servers', () => {
  it('that share a database find, answer, change and delete the same documents, also after the database closed all connections', async () => {
    const { url, env } = await sharedSettings();
    const [one, two] = await Promise.all([start(env), start(env)]);
    const folder = join(one.cwd, 'papers');
    await mkdir(folder);
    await writeFile(join(folder, 'lighthouse.md'), '# Skerry\n\nThe lighthouse of Skerry was finished in 1844.\n');
    await writeFile(join(folder, 'bread.md'), '# Rye\n\nRye bread keeps for a week.\n');
    expect(await runCitewell(['ingest', folder], { cwd: one.cwd, env })).toMatchObject({ code: 0 });

    const found = await find(two, 'lighthouse of Skerry');
    expect(textsOf(found)).toContain('finished in 1844');
    const answer = await runCitewell(['ask', 'When was the lighthouse of Skerry finished?'], { cwd: two.cwd, env });
    expect(answer.stdout).toContain('finished in 1844');
    await vi.waitFor(async () => {
      const { graph_search_results: hits } = await find(two, 'Skerry');
      expect(JSON.stringify(hits)).toContain('Skerry');
    }, PATIENT);
    const { id } = await call<{ id: string }>(one, 'conversations', {});
    expect(await call<unknown[]>(two, `conversations/${id}`)).toEqual([]);

    await call(one, 'prompts', { name: 'greeting', template: 'Good day, {who}.', input_types: { who: 'string' } });
    await vi.waitFor(async () => {
      expect(await call(two, 'prompts')).toContainEqual(expect.objectContaining({ name: 'greeting' }));
    }, PATIENT);
    const reindexed = await runCitewell(['reindex', '--to', LEXICAL_EMBEDDING], { cwd: one.cwd, env });
    expect(reindexed).toMatchObject({ code: 0 });
    await vi.waitFor(async () => {
      expect(await call(two, 'system/status')).toMatchObject({ citewell: { embedder: LEXICAL_EMBEDDING } });
    }, PATIENT);

    const connection = openConnections({ name: url, url, size: 1 });
    onTestFinished(() => connection.destroy());
    const { rows: ended } = await sql<{ pid: number }>`
      select pid, pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(connection);
    // Each ends at its own time; until then one could still be used, and break.
    await vi.waitFor(async () => {
      const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity`.execute(connection);
      const running = new Set(rows.map(({ pid }) => pid));
      expect(ended.filter(({ pid }) => running.has(pid))).toEqual([]);
    }, PATIENT);
    for (const server of [one, two]) {
      await vi.waitFor(async () => expect(textsOf(await find(server, 'rye bread'))).toContain('a week'), PATIENT);
    }
    const tea = await upload(two, 'Tea from Tyree is green.');
    expect(textsOf(await find(one, 'tea from Tyree'))).toContain('green');

    const [hit] = found.chunk_search_results;
    const removed = await fetch(`${two.url}/v3/documents/${hit?.document_id}`, { method: 'DELETE' });
    expect(removed.status).toBe(200);
    expect(textsOf(await find(one, 'lighthouse of Skerry'))).not.toContain('1844');

    await one.end('SIGKILL');
    const again = await start(env);
    expect(textsOf(await find(again, 'tea from Tyree'))).toContain('green');
    const status = await runCitewell(['status', '--json'], { cwd: again.cwd, env });
    expect(JSON.parse(status.stdout)).toMatchObject({ database: expect.stringMatching(/^PostgreSQL, /), problems: [] });
    const doctor = await runCitewell(['doctor'], { cwd: again.cwd, env });
    expect(doctor.stdout).toMatch(/Database: .*PostgreSQL \d+.*used by \d running servers?/);
    const backup = await runCitewell(['backup', 'all.tar'], { cwd: again.cwd, env });
    expect(backup, backup.stderr).toMatchObject({ code: 0 });
    const verified = await runCitewell(['backup', 'verify', 'all.tar', '--json'], { cwd: again.cwd, env });
    expect(JSON.parse(verified.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ type: 'verified' });
    const restored = { ...env, CITEWELL_DATABASE_URL: await postgresDatabase(), CITEWELL_DATA_DIR: 'elsewhere' };
    const restore = await runCitewell(['restore', 'all.tar'], { cwd: again.cwd, env: restored });
    expect(restore, restore.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is restored in postgres'),
    });
    const inUse = await runCitewell(['restore', 'all.tar'], {
      cwd: again.cwd,
      env: { ...env, CITEWELL_DATA_DIR: 'other' },
    });
    expect(inUse.code).not.toBe(0);
    expect(await call(two, `documents/${tea}`)).toMatchObject({ ingestion_status: 'success' });
  }, 300_000);

  it('take over a queued upload from a server that was killed while processing it', async () => {
    const { env, one, task } = await startEmbedding('Endless is the sea.');
    // Not before: servers hear of each other's uploads at once, and the other one might have begun this one.
    const two = await start(env);
    await one.end('SIGKILL');
    const killedAt = performance.now();
    await vi.waitFor(async () => {
      expect(await call(two, `documents/${task}`)).toMatchObject({ ingestion_status: 'success' });
    }, PATIENT);
    expect(performance.now() - killedAt).toBeLessThan(PROMPTLY_MS);
    expect(textsOf(await find(two, 'endless sea'))).toContain('Endless is the sea.');
  }, 300_000);

  it('take over a queued upload from a server suspended for longer than its lease, which then continues to run', async () => {
    const { url, env, one, task } = await startEmbedding('Endless is the river.');
    const two = await start(env);
    await suspend(one.pid);
    const connection = openConnections({ name: url, url, size: 1 });
    onTestFinished(() => connection.destroy());
    await sql`update cluster_servers set seen_at = seen_at - interval '20 seconds'
      where name like ${`%:${one.pid}`}`.execute(connection);
    await vi.waitFor(async () => {
      expect(await call(two, `documents/${task}`)).toMatchObject({ ingestion_status: 'success' });
    }, PATIENT);
    process.kill(one.pid, 'SIGCONT');
    await vi.waitFor(async () => {
      expect(textsOf(await find(one, 'endless river'))).toContain('Endless is the river.');
    }, PATIENT);
  }, 300_000);

  it('resume a stream that broke off on another server, and report there that the server of the run was killed', async () => {
    const { env: shared } = await sharedSettings();
    const provider = await startFakeOpenAi();
    onTestFinished(provider.close);
    const text = Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(' ');
    provider.otherwise((request) =>
      request.path.endsWith('/embeddings') ? embeddingsFor(request) : slowly(10, chatReply({ text })),
    );
    const env = {
      ...shared,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: provider.baseUrl,
      CITEWELL_EMBEDDING_MODEL: 'openai/text-embedding-3-small',
    };
    const [one, two] = await Promise.all([start(env), start(env)]);
    const started = await fetch(`${one.url}/v3/retrieval/agent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'Which words are there?', rag_generation_config: { stream: true } }),
    });
    const received = await receive(started, 20);
    const run = received[0]?.id?.split(':')[0] ?? '';
    const resume = (server: RunningServer) =>
      fetch(`${server.url}/v3/retrieval/runs/${run}/events`, {
        headers: { 'last-event-id': received.at(-1)?.id ?? '' },
      });
    received.push(...(await receive(await resume(two), 40)));
    received.push(...(await receive(await resume(one), 10)));
    expect(await call(two, `retrieval/runs/${run}`)).toMatchObject({ status: 'running' });
    const last = receive(await resume(two), Number.POSITIVE_INFINITY);
    await one.end('SIGKILL');
    const killedAt = performance.now();
    received.push(...(await last));
    expect(performance.now() - killedAt).toBeLessThan(PROMPTLY_MS);
    expect(received.pop()).toMatchObject({ event: 'done' });
    expect(received.map(({ id }) => id)).toEqual(received.map((_, index) => `${run}:${index + 1}`));
    expect(received.at(-1)).toMatchObject({
      event: 'error',
      data: expect.stringContaining('server handling this request'),
    });
    expect(await call(two, `retrieval/runs/${run}`)).toMatchObject({ status: 'failed', events: received.length });
  }, 300_000);

  it('finish on SIGTERM the runs that are read on another server, and report the rest when the time is up', async () => {
    const { env: shared } = await sharedSettings();
    const provider = await startFakeOpenAi();
    onTestFinished(provider.close);
    const texts = { short: 120, long: 100_000 };
    provider.otherwise((request) => {
      const isLong = JSON.stringify(request.body).includes('endless');
      const text = Array.from({ length: texts[isLong ? 'long' : 'short'] }, (_, index) => `word${index}`).join(' ');
      return request.path.endsWith('/embeddings') ? embeddingsFor(request) : slowly(20, chatReply({ text }));
    });
    const env = { ...shared, OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.baseUrl };
    const [one, two] = await Promise.all([start({ ...env, CITEWELL_STOP_SECONDS: '7' }), start(env)]);
    const ask = async (query: string) => {
      const started = await fetch(`${one.url}/v3/retrieval/agent`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, rag_generation_config: { stream: true } }),
      });
      const received = await receive(started, 5);
      const id = received.at(-1)?.id ?? '';
      const rest = await fetch(`${two.url}/v3/retrieval/runs/${id.split(':')[0]}/events`, {
        headers: { 'last-event-id': id },
      });
      const ended = receive(rest, Number.POSITIVE_INFINITY).then((more) => [...received, ...more]);
      return { ended };
    };
    const short = await ask('Which words are there?');
    const long = await ask('Which endless words are there?');
    const { code, milliseconds } = await one.end('SIGTERM');
    expect(code).toBe(0);
    expect(milliseconds).toBeGreaterThan(6_500);
    const finished = await short.ended;
    expect(finished.map(({ event }) => event)).not.toContain('error');
    expect(finished.map(({ event }) => event)).toContain('final_answer');
    const cut = await long.ended;
    expect(cut.at(-2)).toMatchObject({
      event: 'error',
      data: expect.stringContaining('was stopped before completing it'),
    });
    for (const events of [finished, cut]) {
      const run = events[0]?.id?.split(':')[0];
      expect(events.slice(0, -1).map(({ id }) => id)).toEqual(events.slice(1).map((_, index) => `${run}:${index + 1}`));
    }
  }, 300_000);

  it('leave tasks to workers, which return them when they are stopped, and keep serving for a while when stopped themselves', async () => {
    const { env: shared } = await sharedSettings();
    const provider = await startFakeOpenAi();
    onTestFinished(provider.close);
    const env = {
      ...shared,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: provider.baseUrl,
      CITEWELL_EMBEDDING_MODEL: 'openai/text-embedding-3-small',
    };
    const answer = (request: ReceivedRequest) =>
      request.path.endsWith('/embeddings') ? embeddingsFor(request) : openAiError(400, 'only embeddings');
    provider.otherwise((request) =>
      JSON.stringify(request.body).includes('Endless') ? { steps: [{ hang: true }] } : answer(request),
    );
    const server = await start({ ...env, CITEWELL_WORK: 'off', CITEWELL_STOP_DELAY_SECONDS: '3' });
    const worker = await startWorker(env);
    const task = await upload(server, 'Endless is the sea.');
    const processes = () => call<{ citewell: unknown }>(server, 'system/status').then(({ citewell }) => citewell);
    await vi.waitFor(async () => {
      expect(await processes()).toMatchObject({
        processes: [
          { role: 'server', leads: false, tasks: 0 },
          { role: 'worker', leads: true, tasks: 1 },
        ],
      });
      expect(provider.requests.some(({ body }) => JSON.stringify(body).includes('Endless'))).toBe(true);
    }, PATIENT);
    provider.otherwise(answer);
    await startWorker(env);
    const stoppedAt = performance.now();
    expect(await worker.stop()).toBe(0);
    await vi.waitFor(async () => {
      expect(await call(server, `documents/${task}`)).toMatchObject({ ingestion_status: 'success' });
    }, PATIENT);
    expect(performance.now() - stoppedAt).toBeLessThan(PROMPTLY_MS);

    const ended = server.end('SIGTERM');
    await vi.waitFor(async () => expect((await fetch(`${server.url}/v3/health`)).status).toBe(503), PATIENT);
    expect(textsOf(await find(server, 'endless sea'))).toContain('Endless is the sea.');
    expect((await ended).code).toBe(0);
  }, 300_000);
});

interface ReceivedEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string | undefined;
}

/** The first events of a stream, which is left then. */
async function receive(response: Response, count: number): Promise<ReceivedEvent[]> {
  expect(response.status).toBe(200);
  const events: ReceivedEvent[] = [];
  let rest = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + part).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const event = { id: field('id'), event: field('event'), data: field('data') };
      if (event.event !== undefined && events.length < count) events.push(event);
    }
    if (events.length === count) break;
  }
  return events;
}

/** Starts `citewell worker`; `stop` is the exit code after SIGTERM. */
async function startWorker(env: Readonly<Record<string, string>>): Promise<{ stop(): Promise<number | null> }> {
  const { promise: started, resolve } = Promise.withResolvers<ChildProcess>();
  const run = runCitewell(['worker'], {
    cwd: await temporaryFolder(),
    env,
    onStart: (child) => child.stdout?.once('data', () => resolve(child)),
  });
  const failed = run.then(({ code, stderr }) => Promise.reject(new Error(`The worker ended with ${code}: ${stderr}`)));
  const child = await Promise.race([started, failed]);
  failed.catch(() => {});
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await run;
  });
  return {
    async stop() {
      child.kill('SIGTERM');
      return (await run).code;
    },
  };
}

/** A server in the middle of an upload: its embedder does not answer it, and answers whoever asks next. */
async function startEmbedding(text: string) {
  const { url, env: shared } = await sharedSettings();
  const provider = await startFakeOpenAi();
  onTestFinished(provider.close);
  const env = {
    ...shared,
    CITEWELL_INGEST: 'queue',
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: provider.baseUrl,
    CITEWELL_EMBEDDING_MODEL: 'openai/text-embedding-3-small',
  };
  const one = await start(env);
  const answer = (request: ReceivedRequest) =>
    request.path.endsWith('/embeddings') ? embeddingsFor(request) : openAiError(400, 'only embeddings');
  const asks = ({ body }: ReceivedRequest) => JSON.stringify(body).includes(text);
  provider.otherwise((request) => (asks(request) ? { steps: [{ hang: true }] } : answer(request)));
  const task = await upload(one, text);
  await vi.waitFor(() => expect(provider.requests.some(asks)).toBe(true), PATIENT);
  provider.otherwise(answer);
  return { url, env, one, task };
}
