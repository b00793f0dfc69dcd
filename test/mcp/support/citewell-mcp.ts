import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { PROGRAM } from '../../support/run-citewell.ts';

export { PROGRAM };

/** A minimal environment: no key or setting of the user who runs the tests is inherited. */
export function bareEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR && { TMPDIR }), NO_COLOR: '1', CITEWELL_LOG_LEVEL: 'error', ...extra };
}

/** A temporary folder, removed with the test. */
export async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-mcp-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return folder;
}

export interface SpawnOptions {
  readonly cwd: string;
  readonly args?: readonly string[];
  readonly era?: 'legacy' | 'modern';
  readonly env?: Readonly<Record<string, string>>;
}

export const eraOptions = (era: 'legacy' | 'modern'): ClientOptions => ({
  versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
});

/** The real program over stdio with a client of the current SDK. */
export async function connectStdio({ cwd, args = [], era = 'modern', env }: SpawnOptions): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, eraOptions(era));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...args],
    cwd,
    env: bareEnvironment(env),
    stderr: 'pipe',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** The text of a result's first block. */
export function textOf(result: unknown): string {
  const [block] = (result as { readonly content: readonly { readonly type: string; readonly text?: string }[] })
    .content;
  return block?.text ?? '';
}
