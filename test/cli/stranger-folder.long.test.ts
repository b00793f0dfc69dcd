import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findBindingPackage, loadableBinding, thisHost } from '../../src/store/chroma/loadable-binding.ts';
import { descendantsOf } from '../support/descendants.ts';
import { bindingCache } from '../support/embedded-chroma.ts';
import { PATIENT } from '../support/patience.ts';
import { startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Files that a process has mapped to execute. */
async function executedBy(pid: number): Promise<string[]> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '');
  return [...maps.matchAll(/^\S+ ..x. .*? (\/.*)$/gm)].map(([, file = '']) => file);
}

it.skipIf(process.platform !== 'linux')('runs no code from the data folder', async () => {
  const cwd = await temporaryFolder();
  const planted = join(cwd, '.citewell', 'cache');
  await mkdir(planted, { recursive: true, mode: 0o700 });
  const host = thisHost();
  const binding = await loadableBinding(await findBindingPackage(host), host, bindingCache);
  const names = [...(await readdir(bindingCache)).filter((name) => name.endsWith('.node')), 'chroma.node'];
  for (const name of names) await writeFile(join(planted, name), 'of a stranger');

  const server = await startCitewell({ cwd });
  onTestFinished(() => server.kill());
  await vi.waitFor(async () => {
    const children = await descendantsOf(server.pid);
    const executed = await Promise.all([server.pid, ...children.map(({ pid }) => pid)].map(executedBy));
    expect(executed.flat().filter((file) => file.startsWith(cwd))).toEqual([]);
    expect(executed.flat()).toContain(binding);
  }, PATIENT);
  for (const name of names) expect(await readFile(join(planted, name), 'utf8')).toBe('of a stranger');
  expect((await readdir(join(cwd, '.citewell', 'cache'))).toSorted()).toEqual(names.toSorted());
});
