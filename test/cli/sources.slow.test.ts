import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';

let cwd: string;
let papers: string;
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'citewell-sources-')));
  papers = join(cwd, 'papers');
  await mkdir(papers);
  await writeFile(join(papers, 'one.md'), '# One\n\nThe first paper.');
});
afterAll(() => rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

const sources = (...args: readonly string[]) =>
  runCitewell(['sources', ...args], { cwd, env: { CITEWELL_ALLOW_FOLDERS: papers } });

it('follows a folder without a server and with one, and stops following it', async () => {
  expect(await sources()).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('No source') });
  const refused = await sources('add', cwd);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('CITEWELL_ALLOW_FOLDERS')]);
  const added = await sources('add', papers, '--collection', 'Papers');
  expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/folder +\S+papers +followed/) });
  expect(added.stderr).toContain('while "citewell serve"');

  const server = await startCitewell({ cwd, env: { CITEWELL_ALLOW_FOLDERS: papers } });
  onTestFinished(() => server.kill());
  await writeFile(join(papers, 'two.md'), '# Two\n\nThe second paper.');
  const synced = await sources('sync', papers, '--json');
  expect([synced.code, synced.stderr]).toEqual([0, '']);
  const source = JSON.parse(synced.stdout);
  expect(source).toMatchObject({ state: 'following', location: papers, problem: null });
  expect((await sources('list')).stdout).toContain(source.id.slice(0, 8));
  expect((await sources('add', papers)).stderr).toContain('followed already');
  const missing = await sources('sync', 'nowhere');
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('"citewell sources list" shows them')]);

  expect((await sources('remove', source.id.slice(0, 8))).stdout).toContain('no longer followed');
  expect(JSON.parse((await sources('list', '--json')).stdout)).toEqual([]);
});
