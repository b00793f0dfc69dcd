import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasRuntime } from '../support/models-folder.ts';
import { runCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { writeTinyModel } from '../support/tiny-onnx.ts';

async function openCommands() {
  const cwd = await temporaryFolder();
  await writeTinyModel(join(cwd, 'words'));
  // With a folder in the place of ONNX Runtime nothing is installed with npm.
  const installed = join(cwd, 'cache', 'citewell', 'models', 'runtime', 'node_modules', 'onnxruntime-node');
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, 'package.json'), '{ "main": "index.js" }');
  await writeFile(join(installed, 'index.js'), '');
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runCitewell(['models', ...args], { cwd, env: { XDG_CACHE_HOME: join(cwd, 'cache'), ...env } });
  return { cwd, run };
}

it('installs a model from a folder, lists and removes it', async () => {
  const { run } = await openCommands();
  const before = await run(['list']);
  expect(before.stdout).toMatch(/^bge-small-en-v1\.5 +embedding +35 MB +not installed +English; MIT$/m);
  const installed = await run(['install', 'words', '--from', 'words']);
  expect(installed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Installed words [\s\S]*CITEWELL_EMBEDDING_MODEL=local\/words.*citewell reindex/m),
  });
  expect((await run(['list'])).stdout).toMatch(/^words +embedding +\S+ \S+ +installed +from /m);
  const list = (await run(['list', '--json'])).stdout.trim().split('\n');
  expect(list.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ name: 'words', installed: true }),
  );
  const inUse = { CITEWELL_EMBEDDING_MODEL: 'local/words' };
  expect((await run(['list'], inUse)).stdout).toContain('installed, in use');
  expect(await run(['remove', 'words'], inUse)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('CITEWELL_EMBEDDING_MODEL names words'),
  });
  expect(await run(['remove', 'words'])).toMatchObject({ code: 0, stdout: 'Removed words.\n' });
  expect(await run(['remove', 'words'])).toMatchObject({ code: 1, stderr: expect.stringContaining('not installed') });
});

it('says what is wrong with a model that cannot be installed', async () => {
  const { run } = await openCommands();
  const unreachable = await run(['install', 'bge-small-en-v1.5'], { CITEWELL_MODEL_HUB: 'http://127.0.0.1:1/' });
  expect(unreachable).toMatchObject({
    code: expect.any(Number),
    stderr: expect.stringMatching(/127\.0\.0\.1:1 cannot be reached\. Set CITEWELL_MODEL_HUB/),
  });
  expect(unreachable.code).not.toBe(0);
  expect((await run(['install', 'nothing'])).stderr).toContain('no model "nothing" in the catalog');
  expect((await run(['install', 'x', '--from', 'nowhere'])).stderr).toContain('config.json is missing');
  expect((await run(['install'])).code).toBe(2);
});

it.skipIf(hasRuntime)('shows in doctor that a configured model is missing', async () => {
  const { cwd } = await openCommands();
  const { stdout } = await runCitewell(['doctor'], {
    cwd,
    env: { XDG_CACHE_HOME: join(cwd, 'cache'), CITEWELL_EMBEDDING_MODEL: 'local/bge-small-en-v1.5' },
  });
  expect(stdout).toMatch(/WRONG +Embeddings.*not installed[\s\S]*citewell models install bge-small-en-v1\.5/);
});
