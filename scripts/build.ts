import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's `dist`: compiled sources, and as they are the files that nobody compiles. */
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

rmSync(dist, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);
// What runs elsewhere than in Node (Python, the sandbox's isolate) stays letter for letter what was reviewed.
cpSync(join(root, 'src'), join(dist, 'src'), { recursive: true, filter: (path) => !path.endsWith('.ts') });
chmodSync(join(dist, 'src/cli/citewell.js'), 0o755);
