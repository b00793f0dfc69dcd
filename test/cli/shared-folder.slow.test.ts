import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readServerInfo } from '../../src/store/server-info.ts';
import { connectStdio, textOf } from '../mcp/support/citewell-mcp.ts';
import { PATIENT } from '../support/patience.ts';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A `chat` process that runs until its stdin is closed. */
async function startChat(cwd: string) {
  let stdout = '';
  const { promise: started, resolve } = Promise.withResolvers<ChildProcess>();
  const ended = runCitewell(['chat'], { cwd, input: { open: true }, onStart: resolve });
  const child = await started;
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  onTestFinished(async () => {
    child.stdin?.end();
    await ended;
  });
  return {
    ask: (question: string) => child.stdin?.write(`${question}\n`),
    stdout: () => stdout,
    end() {
      child.stdin?.end();
      return ended;
    },
  };
}

it('commands, MCP processes and servers work while a chat holds the data folder, and a chat works while they hold it', async () => {
  const cwd = await temporaryFolder();
  const dataFolder = join(cwd, '.citewell');
  const roleNow = async () => (await readServerInfo(dataFolder))?.role;
  await writeFile(join(cwd, 'lighthouse.txt'), 'The lighthouse of Skerry was finished in 1844.\n');
  const chat = await startChat(cwd);
  await expect.poll(roleNow, PATIENT).toBe('command');

  const ingested = await runCitewell(['ingest', 'lighthouse.txt', '--json'], { cwd });
  expect(JSON.parse(ingested.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ ingested: 1, failed: 0 });
  expect((await runCitewell(['search', 'lighthouse'], { cwd })).stdout).toContain('finished in 1844');
  const assistant = await connectStdio({ cwd });
  const query = { name: 'search_file_knowledge', arguments: { query: 'lighthouse finished' } };
  expect(textOf(await assistant.callTool(query))).toContain('1844');
  expect(await roleNow()).toBe('command');

  const server = await startCitewell({ cwd });
  onTestFinished(server.kill);
  expect(await roleNow()).toBe('server');
  chat.ask('When was the lighthouse finished?');
  await expect.poll(chat.stdout, PATIENT).toContain('1844');
  expect(textOf(await assistant.callTool(query))).toContain('1844');

  await server.end('SIGTERM');
  expect((await runCitewell(['search', 'lighthouse'], { cwd })).stdout).toContain('finished in 1844');
  const before = chat.stdout().length;
  chat.ask('Was the lighthouse finished in 1844?');
  await expect.poll(() => chat.stdout().slice(before), PATIENT).toContain('1844');
  expect((await chat.end()).code).toBe(0);
  expect(textOf(await assistant.callTool(query))).toContain('1844');
});
