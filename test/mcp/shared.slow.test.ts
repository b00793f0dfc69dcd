import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isAlive, readStartTime } from '../../src/store/process-identity.ts';
import { readServerInfo } from '../../src/store/server-info.ts';
import { PATIENT, PROMPTLY_MS } from '../support/patience.ts';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';
import { bareEnvironment, connectStdio, ownFolder, PROGRAM, textOf } from './support/citewell-mcp.ts';

const SEARCH = { name: 'search_file_knowledge', arguments: { query: 'capital of France' } };

async function folderWithNote(): Promise<string> {
  const cwd = await ownFolder();
  await mkdir(join(cwd, 'docs'));
  await writeFile(join(cwd, 'docs', 'france.md'), '# France\n\nThe capital of France is Paris.\n');
  return cwd;
}

describe('citewell mcp', () => {
  it('links to the page of the server that holds the data folder, and to none when there is no server', async () => {
    const cwd = await folderWithNote();
    await runCitewell(['ingest', 'docs'], { cwd });
    const server = await startCitewell({ cwd });
    onTestFinished(() => server.kill());
    const client = await connectStdio({ cwd });
    const linked = textOf(await client.callTool(SEARCH));
    const [link = ''] = /http:\S+\/d\/[0-9a-f]{8}:0/.exec(linked) ?? [];
    expect(link.startsWith(`${server.url}/d/`)).toBe(true);
    const followed = await fetch(link, { redirect: 'manual' });
    expect([followed.status, followed.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^\/d\/[0-9a-f-]{36}\?q=0-\d+$/),
    ]);
    await server.end('SIGTERM');
    const alone = textOf(await client.callTool(SEARCH));
    expect(alone).toContain('Paris');
    expect(alone).not.toContain('/d/');
  });

  it('writes nothing but messages to stdout, and ends promptly when stdin closes', async () => {
    const cwd = await ownFolder();
    const child = spawn(process.execPath, [PROGRAM, 'mcp'], { cwd, env: bareEnvironment(), stdio: 'pipe' });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.resume();
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'test', version: '1' };
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'corpus_status', arguments: {} } });
    send({ id: 3, method: 'tools/call', params: SEARCH });
    await expect.poll(() => stdout.match(/"id":/g)?.length, PATIENT).toBe(3);
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(messages.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    const chroma = await childrenOf(child.pid ?? 0);

    const closedAt = performance.now();
    child.stdin.end();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(performance.now() - closedAt).toBeLessThan(PROMPTLY_MS);
    await expect.poll(async () => (await Promise.all(chroma.map(isAlive))).filter(Boolean), PATIENT).toEqual([]);
    expect(await readServerInfo(join(cwd, '.citewell'))).toBeUndefined();
  });

  it('serves the client that most hosts still have', async () => {
    const cwd = await folderWithNote();
    const client = new FormerClient({ name: 'test', version: '1.0.0' });
    const args = [PROGRAM, 'mcp', '--write', '--allow-dir', 'docs'];
    await client.connect(new FormerTransport({ command: process.execPath, args, cwd, env: bareEnvironment() }));
    onTestFinished(() => client.close());
    const added = await client.callTool({ name: 'ingest_file', arguments: { path: 'france.md' } });
    expect(added.structuredContent).toMatchObject({ outcome: 'ingested' });
    expect(textOf(await client.callTool(SEARCH))).toContain('Paris');
  });

  it('ingests a folder at start, answers meanwhile, reports progress, and follows changes', async () => {
    const cwd = await folderWithNote();
    const client = await connectStdio({ cwd, args: ['--folder', 'docs'] });
    const call = async (name: string, args: object = {}) =>
      client.callTool({ name, arguments: { ...args } }).then((result) => ({ ...result, text: textOf(result) }));
    expect((await call('search_file_knowledge', { query: 'capital' })).isError).toBeFalsy();
    await expect
      .poll(async () => (await call('corpus_status')).text, PATIENT)
      .toMatch(/Folder: .*docs \(synchronised, 1 /);
    expect((await call(SEARCH.name, SEARCH.arguments)).text).toContain('Paris');
    await writeFile(join(cwd, 'docs', 'norway.md'), '# Norway\n\nThe capital of Norway is Oslo.\n');
    expect((await call('sync_folder')).structuredContent).toMatchObject({ status: 'ended' });
    expect((await call('list_files')).structuredContent).toMatchObject({
      files: [{ state: 'ingested' }, { state: 'ingested' }],
    });
    await rm(join(cwd, 'docs', 'france.md'));
    await expect.poll(async () => (await call(SEARCH.name, SEARCH.arguments)).text, PATIENT).not.toContain('Paris');
    expect((await call('sync_folder', { path: '/' })).text).toMatch(/There is no file or folder "\/" below/);
  });

  it('uses a configured tool prefix, also in its texts', async () => {
    const cwd = await ownFolder();
    const client = await connectStdio({ cwd, args: ['--tool-prefix', 'kb_', '--toolsets', 'retrieval,corpus'] });
    const { tools } = await client.listTools();
    expect(tools.every(({ name }) => name.startsWith('kb_'))).toBe(true);
    expect(tools.find(({ name }) => name === 'kb_search_file_knowledge')?.description).toContain(
      'use kb_content with around_chunk_id; for a whole text use kb_get_file_content',
    );
  });

  it.each([
    [['--tools', 'nothing'], /Unknown tool "nothing"/],
    [['--toolsets', 'nothing'], /Unknown toolset "nothing"/],
    [['--tool-prefix', 'a b'], /--tool-prefix/],
  ])('refuses %j before it serves anything', async (args, words) => {
    const { code, stdout, stderr } = await runCitewell(['mcp', ...args], { cwd: await ownFolder() });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(words);
  });
});

describe('one data folder', () => {
  it('is shared by two MCP processes, a command, and a server started later', async () => {
    const cwd = await folderWithNote();
    const data = join(cwd, '.citewell');
    const first = await connectStdio({ cwd, args: ['--write', '--allow-dir', 'docs'] });
    await first.callTool({ name: 'ingest_file', arguments: { path: 'france.md' } });
    const owner = await readServerInfo(data);
    expect(owner?.role).toBe('mcp');

    const second = await connectStdio({ cwd, era: 'legacy' });
    expect(textOf(await second.callTool(SEARCH))).toContain('Paris');
    const found = await runCitewell(['search', 'capital of France', '--json'], { cwd });
    expect(found.stdout).toContain('The capital of France is Paris.');
    // A process that serves only its own host rejects everyone who cannot read the folder.
    expect((await fetch(`${owner?.url}/v3/documents`)).status).toBe(401);
    expect((await fetch(`${owner?.url}/peer/facts`, { method: 'POST' })).status).toBe(401);

    const server = await startCitewell({ cwd });
    onTestFinished(() => server.kill());
    expect((await readServerInfo(data))?.role).toBe('server');
    for (const client of [first, second]) expect(textOf(await client.callTool(SEARCH))).toContain('Paris');
    const response = await fetch(`${server.url}/v3/documents`);
    expect(await response.json()).toMatchObject({ total_entries: 1 });

    await server.end('SIGTERM');
    for (const client of [first, second]) expect(textOf(await client.callTool(SEARCH))).toContain('Paris');
    expect((await readServerInfo(data))?.role).toBe('mcp');
  });

  it('is taken over when the process that holds it is killed', async () => {
    const cwd = await folderWithNote();
    const first = await connectStdio({ cwd, args: ['--write', '--allow-dir', 'docs'] });
    await first.callTool({ name: 'ingest_file', arguments: { path: 'france.md' } });
    const second = await connectStdio({ cwd });
    await second.callTool(SEARCH);
    process.kill((await readServerInfo(join(cwd, '.citewell')))?.pid ?? 0, 'SIGKILL');
    expect(textOf(await second.callTool(SEARCH))).toContain('Paris');
  });

  it('makes documents ingested by one process known to all', async () => {
    const cwd = await folderWithNote();
    const first = await connectStdio({ cwd, args: ['--write', '--allow-dir', 'docs'] });
    await first.callTool({ name: 'corpus_status', arguments: {} });
    const second = await connectStdio({ cwd, era: 'legacy' });
    let changes = 0;
    second.setNotificationHandler('notifications/resources/list_changed', () => {
      changes++;
    });
    await second.callTool({ name: 'corpus_status', arguments: {} });
    await first.callTool({ name: 'ingest_file', arguments: { path: 'france.md' } });
    await expect.poll(() => changes, PATIENT).toBe(1);
  });
});

/** The child processes of a process, where the system lists them. */
async function childrenOf(pid: number) {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const children = list
    .split(' ')
    .filter((each) => each !== '')
    .map(Number);
  return Promise.all(children.map(async (child) => ({ pid: child, startTime: (await readStartTime(child)) ?? '' })));
}
