import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bindingCache } from '../support/embedded-chroma.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { startS3Server } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('a backup of a damaged file fails with one line that names the document', async () => {
  const s3 = await startS3Server(await temporaryFolder());
  onTestFinished(() => s3.stop());
  const cwd = await temporaryFolder();
  const env = {
    CITEWELL_ORIGINALS: 's3://originals/kb',
    CITEWELL_ORIGINALS_ENDPOINT: s3.endpoint(),
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    CITEWELL_LOCAL_MODELS: 'off',
    XDG_CACHE_HOME: join(bindingCache, '..'),
  };
  await writeFile(join(cwd, 'ferry.md'), '# Ferry times\n\nThe ferry leaves at noon.\n');
  expect(await runInProcess(['ingest', join(cwd, 'ferry.md')], { cwd, env })).toMatchObject({ code: 0 });
  const [object = ''] = await s3.list('kb');
  await s3.damage('kb', object);
  const { code, stdout, stderr } = await runInProcess(['backup', join(cwd, 'all.backup'), '--json'], { cwd, env });
  expect(code).toBe(1);
  expect(stdout).not.toContain('"type":"done"');
  const said = stderr.split('\n').filter((line) => /damaged/.test(line));
  expect(said).toEqual([
    expect.stringMatching(/The stored file of \\?"(?:Ferry times|ferry\.md)\\?" \([0-9a-f-]{36}\)/),
  ]);
});
