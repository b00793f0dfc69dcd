import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startBucket } from '../support/bucket-server.ts';
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
  const unknown = await sources('add', 'ftp://files.example/papers');
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('begin with ftp://. Known beginnings: ')]);
  const scheduled = await sources('add', papers, '--every', '5');
  expect([scheduled.code, scheduled.stderr]).toEqual([
    2,
    expect.stringContaining('--every is not an option for a folder'),
  ]);
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

it('changes credentials, schedule and settings of a source, with a server and without one', async () => {
  const folder = join(cwd, 'bucket');
  await mkdir(folder);
  const bucket = await startBucket(new Map([['rivers.md', '# Rivers\n\nThe Rhine rises in the Alps.']]));
  onTestFinished(bucket.close);
  const env = { CITEWELL_ALLOW_HOSTS: `127.0.0.1:${bucket.port}` };
  const keys = (name: string) => ({ AWS_ACCESS_KEY_ID: name, AWS_SECRET_ACCESS_KEY: 'secret' });
  const run = (args: readonly string[], more = {}) =>
    runCitewell(['sources', ...args], { cwd: folder, env: { ...env, ...more } });
  const place = 's3://papers/';
  const address = `${place}?endpoint=${encodeURIComponent(`127.0.0.1:${bucket.port}`)}`;
  const refused = await run(['add', place, '--set', `endpoint=${bucket.endpoint}`], keys('WRONG'));
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/was not added.*Access refused.*--no-check/),
  ]);
  expect(JSON.parse((await run(['list', '--json'])).stdout)).toEqual([]);
  const added = await run(['add', place, '--set', `endpoint=${bucket.endpoint}`], keys('RIGHT'));
  expect([added.code, added.stdout]).toEqual([0, expect.stringContaining('1 ingested')]);
  const nothing = await run(['change', address]);
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('No change was given')]);
  // The keys of the environment are taken only when that is asked for.
  const later = await run(['change', address, '--every', '90', '--keep-deleted', '--json'], keys('WRONG'));
  expect(later.code, later.stderr).toBe(0);
  expect(JSON.parse(later.stdout)).toMatchObject({ every_minutes: 90, keep_deleted: true, state: 'idle' });

  const server = await startCitewell({ cwd: folder, env });
  onTestFinished(() => server.kill());
  const wrong = await run(['change', address, '--credentials'], keys('WRONG'));
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/Nothing was changed.*Access refused/)]);
  const forgotten = await run(['change', address, '--credentials', '--no-check']);
  expect([forgotten.code, forgotten.stderr]).toEqual([2, expect.stringContaining('Set AWS_ACCESS_KEY_ID')]);
  const fixed = await run(['change', address, '--set', 'prefix=a/']);
  expect([fixed.code, fixed.stderr]).toEqual([2, expect.stringContaining('prefix says what is followed')]);
  bucket.state.key = 'NEW';
  const renewed = await run(
    ['change', address, '--credentials', '--set', 'region=eu-central-1', '--no-schedule', '--json'],
    keys('NEW'),
  );
  expect(renewed.code, renewed.stderr).toBe(0);
  expect(JSON.parse(renewed.stdout)).toMatchObject({
    state: 'idle',
    every_minutes: null,
    keep_deleted: true,
    settings: { region: 'eu-central-1' },
    last_sync: { counts: { unchanged: 1 } },
  });
  const plain = await run(['change', address, '--set', 'region=', '--no-keep-deleted', '--json']);
  expect(JSON.parse(plain.stdout)).toMatchObject({ keep_deleted: false, settings: { bucket: 'papers' } });
  const untried = await run(['change', address, '--credentials', '--no-check'], keys('WRONG'));
  expect([untried.code, untried.stdout]).toEqual([1, expect.stringContaining('Access refused')]);
  const status = await runCitewell(['status'], { cwd: folder, env });
  expect(status.stdout).toMatch(/^sources +1 followed, 1 stopped/m);
});

it('shows the items of a source that fail, and how often they were tried', async () => {
  const folder = join(cwd, 'failing');
  await mkdir(folder);
  const bucket = await startBucket(new Map([['broken.pdf', 'This is no PDF.']]));
  const env = {
    CITEWELL_ALLOW_HOSTS: `127.0.0.1:${bucket.port}`,
    AWS_ACCESS_KEY_ID: 'RIGHT',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  const run = (...args: readonly string[]) => runCitewell(['sources', ...args], { cwd: folder, env });
  const added = await run('add', 's3://papers/', '--set', `endpoint=${bucket.endpoint}`);
  expect([added.code, added.stdout]).toEqual([3, expect.stringContaining('1 failed')]);
  const [id = ''] = added.stdout.split(' ');
  await run('sync', id);
  const shown = await run('show', id);
  expect([shown.code, shown.stderr]).toEqual([
    0,
    expect.stringMatching(/1 item fails.*\n {2}broken\.pdf: .*PDF.*tried 2 times/),
  ]);
  expect((await run('list')).stderr).toContain('tried 2 times');
});
