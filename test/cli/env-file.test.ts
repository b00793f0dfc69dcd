import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('reads the file that --settings names, before and after the command, and by its earlier name', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'settings'), 'CITEWELL_HOST=not a host\n');
  for (const args of [
    ['--settings', 'settings', 'status'],
    ['status', '--settings', 'settings'],
    ['--env-file', 'settings', 'status'],
  ]) {
    const { code, stderr } = await runCitewell(args, { cwd });
    expect(stderr).toContain('CITEWELL_HOST: expected an address');
    expect(code).toBe(2);
  }
});

it('says in its own words that the file of --settings is missing, however the program is started', () => {
  const program = fileURLToPath(new URL('../../src/cli/citewell.js', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [program, '--settings', '/nope', 'status'], {
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^citewell: --settings: \S*nope cannot be read: there is no such file\. Name a file/);
  expect(status).toBe(2);
});

it('ignores a .env of the working folder in citewell mcp, and reports ignored variables in other commands', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, '.env'), 'CITEWELL_PORT=none\nCITEWELL_DATA_DIR=/elsewhere\n');
  expect(await runCitewell(['mcp'], { cwd })).toEqual({ code: 0, stdout: '', stderr: '' });
  await writeFile(join(cwd, '.env'), 'CITEWELL_DATA_DIR=/elsewhere\n');
  const { stderr } = await runCitewell(['ingest', '--dry-run', '.'], { cwd });
  expect(stderr).toMatch(/^warning: CITEWELL_DATA_DIR in \S+\.env is ignored: .*--settings/);
});
