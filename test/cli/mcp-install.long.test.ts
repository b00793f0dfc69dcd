import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function folders() {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, 'papers'));
  const install = (...args: string[]) => runCitewell(['mcp', 'install', ...args], { cwd, env: { HOME: cwd } });
  return { cwd, install };
}

it('mcp install keeps comments and other servers, leaves a backup, shows what changes, and does nothing twice', async () => {
  const { cwd, install } = await folders();
  const file = join(cwd, '.config/zed/settings.json');
  await mkdir(join(cwd, '.config/zed'), { recursive: true });
  const before = '{\n  // my theme\n  "theme": "One",\n  "context_servers": { "other": { "command": "x" } },\n}\n';
  await writeFile(file, before);
  const printed = await install('--client', 'zed', '--print');
  expect(printed.stdout).toContain('"citewell"');
  expect(await readFile(file, 'utf8')).toBe(before);

  const { code, stdout } = await install('--client', 'zed', '--folder', 'papers');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\+ .*"citewell": \{$/m);
  const after = await readFile(file, 'utf8');
  expect(after).toMatch(/\/\/ my theme[\s\S]*"other"[\s\S]*"citewell"[\s\S]*"--folder",\s*".*papers"/);
  const backups = (await readdir(join(cwd, '.config/zed'))).filter((name) => name.includes('.backup-'));
  expect(await readFile(join(cwd, '.config/zed', backups[0] ?? ''), 'utf8')).toBe(before);
  expect((await install('--client', 'zed', '--folder', 'papers')).stdout).toContain('already contains it');
});

it('mcp install creates a missing file, and changes none that it cannot parse', async () => {
  const { cwd, install } = await folders();
  expect((await install('--client', 'claude-code', '--folder', 'papers')).code).toBe(0);
  const { citewell } = JSON.parse(await readFile(join(cwd, '.mcp.json'), 'utf8')).mcpServers;
  expect(citewell).toMatchObject({ type: 'stdio', command: process.execPath });
  expect(citewell.args).toEqual([expect.stringMatching(/citewell\.js$/), 'mcp', '--folder', expect.any(String)]);

  await writeFile(join(cwd, '.mcp.json'), '{ "mcpServers": ');
  const { code, stderr } = await install('--client', 'claude-code');
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(/is not valid JSON/) });
  expect(await readFile(join(cwd, '.mcp.json'), 'utf8')).toBe('{ "mcpServers": ');
  expect((await install('--client', 'emacs')).code).toBe(2);
});
