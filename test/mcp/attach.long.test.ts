import { EventEmitter, once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import express from 'express';
import { expect, it, onTestFinished, vi } from 'vitest';
import { attachMcp, withoutSecrets } from '../../src/cli/attach-mcp.ts';
import { attachedMcp } from '../../src/cli/attached-mcp.ts';
import { loadConfig } from '../../src/config.ts';
import { listen } from '../../src/http/serve.ts';
import type { Backend, ToolRequest } from '../../src/mcp/backend.ts';
import { MAX_MESSAGE_BYTES } from '../../src/mcp/peer/attachment.ts';
import { writeServerInfo } from '../../src/store/server-info.ts';
import { readVersion } from '../../src/version.ts';
import { PROMPTLY_MS } from '../support/patience.ts';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';
import { connectStdio, ownFolder, textOf } from './support/citewell-mcp.ts';

const SEARCH = { name: 'search_file_knowledge', arguments: { query: 'anything' } };

/** A process, played by the test, that holds the data folder below `cwd`; `call` answers the tools. */
async function hold(
  cwd: string,
  call: (request: ToolRequest) => Promise<string>,
  env: Readonly<Record<string, string>> = {},
) {
  const config = loadConfig({ env: { CITEWELL_DATA_DIR: cwd, ...env }, cwd });
  const stopping = new AbortController();
  let received = '';
  const backend = {
    async call(request: ToolRequest) {
      const text = await call(request);
      const structured = { query: text, mode: 'hybrid', results: [], notes: [] };
      return { isError: false, output: { text, structured } };
    },
    onChange: () => () => {},
  } as Partial<Backend> as Backend;
  const server = await listen(express(), { host: '127.0.0.1', port: 0 });
  server.onConnect((_request, socket, head) => {
    received += head.toString();
    socket.on('data', (chunk) => {
      received += chunk;
    });
    attachedMcp({ config, backend, stopping: stopping.signal })(socket, head);
  });
  await writeServerInfo(cwd, server.url, { version: readVersion(), role: 'mcp' });
  const end = async () => {
    stopping.abort();
    await server.close();
  };
  onTestFinished(end);
  return { end, received: () => received };
}

/** The environment for a process that reports what it loads, and the addresses of that. */
function spyOnModules(folder: string) {
  const hook = pathToFileURL(join(import.meta.dirname, '..', 'support', 'report-loaded.ts')).href;
  const file = join(folder, 'loaded.txt');
  return {
    env: { NODE_OPTIONS: `--no-warnings --import=${hook}`, LOADED_MODULES: file },
    loaded: async () =>
      (await readFile(file, 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^\d+ /, '')),
  };
}

it.each(['legacy', 'modern'] as const)(
  'relays a session without loading a package, also to a successor process (%s)',
  async (era) => {
    const cwd = await ownFolder();
    const sessions: (string | undefined)[] = [];
    const begun = Promise.withResolvers<void>();
    const first = await hold(cwd, ({ session, folders }) => {
      sessions.push(session);
      if (sessions.length === 1) return Promise.resolve(folders.join());
      begun.resolve();
      return new Promise(() => {});
    });
    const spy = spyOnModules(cwd);
    const secrets = { OPENAI_API_KEY: 'sk-not-to-be-told', SEARXNG_URL: 'http://me:not-to-be-told@127.0.0.1:8888' };
    const client = await connectStdio({
      cwd,
      era,
      args: ['--tool-prefix', 'kb_', '--allow-dir', '.'],
      env: { CITEWELL_DATA_DIR: cwd, ...spy.env, ...secrets },
    });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    // The search engine and the model are those of the attached process.
    expect(names).toEqual(expect.arrayContaining(['kb_search_file_knowledge', 'kb_web_search', 'kb_reasoning']));
    const search = { ...SEARCH, name: `kb_${SEARCH.name}` };
    expect(textOf(await client.callTool(search))).toBe(cwd);

    const interrupted = client.callTool(search);
    await begun.promise;
    await first.end();
    await hold(cwd, async ({ session }) => {
      sessions.push(session);
      return 'from the successor';
    });
    expect(textOf(await interrupted)).toBe('from the successor');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(names);
    expect(new Set(sessions).size).toBe(1);

    const loaded = await spy.loaded();
    expect(loaded.some((url) => url.endsWith('/attach-mcp.cjs'))).toBe(true);
    expect(loaded.filter((url) => /node_modules|\/main\.cjs$|^node:https?$/.test(url))).toEqual([]);
    expect(first.received()).toContain('"OPENAI_API_KEY":"xx');
    expect(first.received()).not.toContain('not-to-be-told');
  },
);

it('offers the tools whose models and search engines only the process that runs them has', async () => {
  const cwd = await ownFolder();
  const env = { OPENAI_API_KEY: 'sk-of-the-server', SEARXNG_URL: 'http://127.0.0.1:8888' };
  await hold(cwd, () => Promise.resolve('found'), env);
  const client = await connectStdio({ cwd, era: 'modern', args: [], env: { CITEWELL_DATA_DIR: cwd } });
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['web_search', 'reasoning', 'critique']));
});

it('ends the input of a session that it continues when the client is lost before the program is loaded', async () => {
  const cwd = await ownFolder();
  const holder = await hold(cwd, async () => 'never');
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const own = Object.assign(new EventEmitter(), { stdin, stdout, stderr, argv: [], execArgv: [], cwd: () => cwd });
  const attached = attachMcp(own as unknown as NodeJS.Process, { CITEWELL_DATA_DIR: cwd });
  await expect.poll(() => stdin.listenerCount('data')).toBe(1);
  await rm(join(cwd, 'server.json'));
  await holder.end();
  const session = await attached;
  if (typeof session !== 'object') throw new Error(`The session is not continued: ${session}`);
  onTestFinished(session.releaseSuccession);
  const uncaught = vi.fn();
  process.once('uncaughtException', uncaught);
  onTestFinished(() => void process.off('uncaughtException', uncaught));
  stdout.destroy(new Error('EPIPE'));
  await once(session.input.resume(), 'end');
  expect(session.output.destroyed).toBe(true);
  expect(uncaught).not.toHaveBeenCalled();
});

it('does not attach to another version', async () => {
  const cwd = await ownFolder();
  await hold(cwd, async () => 'never');
  const file = join(cwd, 'server.json');
  const info = await readFile(file, 'utf8');
  await writeFile(file, info.replace(`"${readVersion()}"`, '"0.0.1"'));
  const spy = spyOnModules(cwd);
  const client = await connectStdio({ cwd, env: { CITEWELL_DATA_DIR: cwd, ...spy.env } });
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  expect((await spy.loaded()).some((url) => url.endsWith('/main.cjs'))).toBe(true);
});

it('is open only to processes that know the token of the data folder', async () => {
  const cwd = await ownFolder();
  const server = await startCitewell({ cwd });
  onTestFinished(() => server.kill());
  const { token } = JSON.parse(await readFile(join(cwd, '.citewell/server.json'), 'utf8'));
  const attach = async (given: string, attachment: object) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = `CONNECT citewell-mcp:0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${given}\r\n\r\n`;
    socket.end(`${head}${JSON.stringify(attachment)}\n`);
    return text(socket);
  };
  const attachment = { words: [], cwd, env: {}, session: 'one' };
  expect(await attach('wrong', attachment)).toBe('');
  expect(await attach(token, { ...attachment, words: ['--tools', 'nothing'] })).toMatch(/^HTTP\/1\.1 409 /);
  expect(await attach(token, { ...attachment, env: { CITEWELL_PORT: 'none' } })).toMatch(/^HTTP\/1\.1 409 /);
  expect(await attach(token, attachment)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await attach(token, { ...attachment, cwd: 'x'.repeat(1_100_000) })).toMatch(/^HTTP\/1\.1 409 /);
  // A refused connection that stayed open would keep the server from ending.
  expect((await server.end('SIGTERM')).code).toBe(0);
});

it('passes on answers that are longer than what streams buffer', async () => {
  const cwd = await ownFolder();
  const long = 'x'.repeat(38_000);
  await hold(cwd, async () => long);
  const client = await connectStdio({ cwd, env: { CITEWELL_DATA_DIR: cwd } });
  for (let call = 1; call <= 4; call++) {
    const { structuredContent } = await client.callTool(SEARCH, { timeout: PROMPTLY_MS });
    expect(structuredContent).toMatchObject({ query: long });
  }
});

it('answers requests piped in before the end of the input, and messages that are too long', async () => {
  const cwd = await ownFolder();
  await hold(cwd, async () => 'found');
  const message = (id: number, method: string, params: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const clientInfo = { name: 'test', version: '1.0.0' };
  const input = [
    message(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    message(2, 'tools/call', { text: 'x'.repeat(MAX_MESSAGE_BYTES) }),
    message(3, 'tools/call', SEARCH),
  ];
  const run = await runCitewell(['mcp'], { cwd, env: { CITEWELL_DATA_DIR: cwd }, input: `${input.join('\n')}\n` });
  const answers = run.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.toSorted((a, b) => a.id - b.id)).toMatchObject([
    { id: 1, result: {} },
    { id: 2, error: { code: -32_600 } },
    { id: 3, result: { structuredContent: { query: 'found' } } },
  ]);
  expect(run).toMatchObject({ code: 0, stderr: expect.stringMatching(/^citewell mcp: A message has more than /) });
});

it('passes on the search path of Windows by the name that other systems use', () => {
  const env = { Path: 'C:\\bin', CITEWELL_PORT: '1', SECRET: 'x' };
  expect(withoutSecrets(env, 'win32')).toEqual({ PATH: 'C:\\bin', CITEWELL_PORT: '1' });
  expect(withoutSecrets(env, 'linux')).toEqual({ CITEWELL_PORT: '1' });
});
