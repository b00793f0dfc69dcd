import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MODELS_FOLDER } from '../src/local-models/catalog.ts';
import { writeTinyModel } from '../test/support/tiny-onnx.ts';

const USAGE = `Installs ONNX Runtime as "citewell models install" does, with npm, and runs the tests that need it.

  npm run -s local-models-test -- [--report FILE]

  --report FILE  vitest's report as JSON`;

const options = { report: { type: 'string' }, help: { type: 'boolean', default: false } } as const;
const TESTS = ['test/local-models', 'test/embeddings/local-onnx.test.ts', 'test/cli/models.long.test.ts'];
const NPM_LIMIT_MS = 300_000;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) return console.log(USAGE);
  const folder = await mkdtemp(join(tmpdir(), 'citewell-models-'));
  try {
    const model = join(folder, 'tiny');
    await writeTinyModel(model);
    const env = { ...process.env, XDG_CACHE_HOME: folder, CITEWELL_DATA_DIR: join(folder, 'data') };
    run(['src/cli/citewell.js', 'models', 'install', 'tiny', '--from', model], env);
    const runtime = join(folder, 'citewell', MODELS_FOLDER, 'runtime');
    const report = values.report === undefined ? [] : ['--reporter=json', `--outputFile.json=${values.report}`];
    run(['node_modules/vitest/vitest.mjs', 'run', '--mode=thorough', ...TESTS, '--reporter=default', ...report], {
      ...process.env,
      CITEWELL_TEST_RUNTIME: runtime,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a Node program; throws if it fails. */
function run(args: readonly string[], env: NodeJS.ProcessEnv): void {
  const { status, error } = spawnSync(process.execPath, args, { env, stdio: 'inherit', timeout: NPM_LIMIT_MS });
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${error?.message ?? `exit code ${status}`}`);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
