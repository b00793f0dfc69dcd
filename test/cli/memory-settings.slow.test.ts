import { readFile } from 'node:fs/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { descendantsOf } from '../support/descendants.ts';
import { PATIENT } from '../support/patience.ts';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OURS = '--max-semi-space-size=4';

async function start(env: Readonly<Record<string, string>> = {}) {
  const server = await startCitewell({ cwd: await temporaryFolder(), env });
  onTestFinished(() => server.kill());
  const read = async (pid: number, file: string) => (await readFile(`/proc/${pid}/${file}`, 'utf8')).split('\0');
  return { server, read, words: await read(server.pid, 'cmdline'), env: await read(server.pid, 'environ') };
}

it.skipIf(process.platform !== 'linux')(
  'limits young generations and arenas of a server and its children',
  async () => {
    const { server, read, words, env } = await start();
    expect(words.filter((word) => word === OURS)).toHaveLength(1);
    expect(env).toContain('MALLOC_ARENA_MAX=2');
    const chroma = await vi.waitUntil(
      async () => (await descendantsOf(server.pid)).find(({ command }) => command.includes('server-process.js')),
      PATIENT,
    );
    expect(await read(chroma.pid, 'environ')).toContain('MALLOC_ARENA_MAX=2');
    const { code } = await server.end('SIGTERM');
    expect(code).toBe(0);
  },
);

it.skipIf(process.platform !== 'linux')('leaves settings of the user as they are', async () => {
  const given = await start({ MALLOC_ARENA_MAX: '3', NODE_OPTIONS: '--max-semi-space-size=8' });
  expect(given.words).not.toContain(OURS);
  expect(given.env).toContain('MALLOC_ARENA_MAX=3');
  const partly = await start({ MALLOC_ARENA_MAX: '3' });
  expect(partly.words).toContain(OURS);
  expect(partly.env).toContain('MALLOC_ARENA_MAX=3');
});

it('adds no warning to what a server says', async () => {
  const { code, stderr } = await runCitewell(['serve', '--help'], { cwd: await temporaryFolder() });
  expect([code, stderr]).toEqual([0, '']);
});
