import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { readServerInfo } from '../../src/store/server-info.ts';
import { PATIENT } from '../support/patience.ts';
import { bareEnvironment, eraOptions, ownFolder, PROGRAM, textOf } from './support/citewell-mcp.ts';

const SEARCH = { name: 'search_file_knowledge', arguments: { query: 'capital of France' } };

async function connect(cwd: string) {
  const client = new Client({ name: 'test', version: '1.0.0' }, eraOptions('legacy'));
  const args = [PROGRAM, 'mcp', '--write'];
  const transport = new StdioClientTransport({ command: process.execPath, args, cwd, env: bareEnvironment() });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, pid: transport.pid ?? 0 };
}

/** Bytes that are no part of a file, and so nobody else's; also those that a full machine has swapped out. */
async function ownMemory(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  const [anonymous, swapped] = [/^Anonymous:\s+(\d+) kB/m, /^Swap:\s+(\d+) kB/m].map((line) => line.exec(rollup)?.[1]);
  return (Number(anonymous) + Number(swapped ?? 0)) * 1024;
}

it.skipIf(process.platform !== 'linux')(
  'takes little memory beside the process that holds the data folder, and one of several takes over',
  async () => {
    const cwd = await ownFolder();
    const data = join(cwd, '.citewell');
    const first = await connect(cwd);
    const text = '# France\n\nThe capital of France is Paris.\n';
    await first.client.callTool({ name: 'ingest_text', arguments: { title: 'France', text } }, PATIENT);
    const idle = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
    onTestFinished(() => void idle.kill());
    const others = [await connect(cwd), await connect(cwd), await connect(cwd)];
    for (const { client } of others) expect(textOf(await client.callTool(SEARCH, PATIENT))).toContain('Paris');
    const isLight = async (pid: number) => (await ownMemory(pid)) < 2 * (await ownMemory(idle.pid ?? 0));
    for (const { pid } of others) await expect.poll(() => isLight(pid), PATIENT).toBe(true);
    expect(await isLight(first.pid)).toBe(false);

    process.kill((await readServerInfo(data))?.pid ?? 0, 'SIGKILL');
    const answers = await Promise.all(others.map(({ client }) => client.callTool(SEARCH, PATIENT)));
    expect(answers.map(textOf)).toEqual(others.map(() => expect.stringContaining('Paris')));
    const owner = await readServerInfo(data);
    expect(others.map(({ pid }) => pid)).toContain(owner?.pid);
    for (const { pid } of others) await expect.poll(() => isLight(pid), PATIENT).toBe(pid !== owner?.pid);
  },
);
