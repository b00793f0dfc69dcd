import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeWheel } from '../sandbox/support/make-zip.ts';
import { runCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('adds Python packages, lists and removes them, and says what cannot be added', async () => {
  const cwd = await temporaryFolder();
  const env = { XDG_CACHE_HOME: join(cwd, 'cache'), CITEWELL_PYODIDE_URL: 'http://127.0.0.1:1/full' };
  const run = (...args: readonly string[]) => runCitewell(['python', ...args], { cwd, env });
  await mkdir(join(cwd, 'wheels'));
  await writeFile(join(cwd, 'wheels', 'tiny_one-1.2-py3-none-any.whl'), makeWheel('tiny_one', '1.2'));
  const added = await run('add', 'tiny-one', '--from', 'wheels');
  expect(added).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^tiny-one +1\.2 +\S+ \S+ +added from a folder$/m),
  });
  expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject({ name: 'tiny-one', requested: true });
  const [missing, unreachable] = await Promise.all([run('add', 'numpy', '--from', 'wheels'), run('add', 'numpy')]);
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('numpy is missing: put numpy-') });
  expect(unreachable.stderr).toMatch(/127\.0\.0\.1:1 cannot be reached\. Set CITEWELL_PYODIDE_URL/);
  expect(unreachable.code).not.toBe(0);
  expect(await run('remove', 'tiny-one')).toMatchObject({ code: 0, stdout: 'Removed tiny-one.\n' });
  expect((await run('list')).stderr).toContain('citewell python add numpy pandas matplotlib');
});
