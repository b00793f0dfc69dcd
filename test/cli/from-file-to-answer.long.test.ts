import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bindingCache } from '../support/embedded-chroma.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LIGHTHOUSE =
  '# The lighthouse of Skerry\n\nThe lighthouse of Skerry was finished in 1844. Its tower is built of granite blocks.\n';

// The same through the real program, and beside a server, is in end-to-end.slow.test.ts.
it('ingests a file, finds it, answers with a citation at the exact offsets, and deletes it', {
  timeout: 180_000,
}, async () => {
  const cwd = await temporaryFolder();
  const run = (...args: string[]) => runInProcess(args, { cwd, env: { XDG_CACHE_HOME: join(bindingCache, '..') } });
  await mkdir(join(cwd, 'papers'));
  await writeFile(join(cwd, 'papers/lighthouse.md'), LIGHTHOUSE);
  const ingested = await run('ingest', join(cwd, 'papers'), '--json');
  expect(JSON.parse(ingested.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ ingested: 1, failed: 0 });
  const found = await run('search', 'lighthouse finished', '--json');
  expect(found).toMatchObject({ code: 0, stderr: '' });
  const [result] = JSON.parse(found.stdout).results;
  expect(LIGHTHOUSE.slice(result.start, result.end)).toBe(result.text);
  const answered = JSON.parse((await run('ask', 'When was the lighthouse of Skerry finished?', '--json')).stdout);
  const [quote] = answered.citations[0].quotes;
  expect(quote.text).toContain('finished in 1844');
  expect(LIGHTHOUSE.slice(quote.start, quote.end)).toBe(quote.text);
  const id: string = result.document_id;
  expect((await run('documents', 'delete', id.slice(0, 7))).stderr).toContain(`No document has "${id.slice(0, 7)}"`);
  expect((await run('documents', 'delete', id.slice(0, 8))).stdout).toMatch(/^Deleted /);
  const { code, stderr } = await run('search', 'lighthouse');
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('There are no documents yet.') });
});

it('finds nothing wrong in an empty folder while its index starts', async () => {
  const { code, stdout } = await runInProcess(['status', '--json'], {
    cwd: await temporaryFolder(),
    env: { XDG_CACHE_HOME: join(bindingCache, '..') },
  });
  const { index, problems } = JSON.parse(stdout);
  expect({ code, problems, kind: index.kind }).toEqual({ code: 0, problems: [], kind: 'embedded' });
  expect(['checking', 'ready']).toContain(index.state);
});
