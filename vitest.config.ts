import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

const LONG = 'test/**/*.long.test.ts';
const SLOW = 'test/**/*.slow.test.ts';

// Five modes. `npm test`, for every change, has tests of every component and ends in less than two minutes on two free
// cores. `npm run test:thorough` (--mode thorough) adds the long ones, which take more than half of the processor time, and
// `npm run test:slow` (--mode slow) has those that start the program, kill processes, attack the sandbox or wait. `npm run
// test:postgres` (--mode postgres) runs those of the record store again, long and slow ones too, on PostgreSQL, and `npm run
// test:properties` (--mode properties) those of properties with new random cases. Continuous integration runs the thorough
// suite on each commit, and parts of the slow one and of that on PostgreSQL.
export default defineConfig(({ mode }) => ({
  test: {
    include: includedIn(mode),
    provide: {
      engine: mode === 'postgres' ? 'PostgreSQL' : 'SQLite',
      propertyCases: mode === 'properties' ? 'new' : 'same',
    },
    setupFiles: 'test/support/property-seed.ts',
    exclude: [...configDefaults.exclude, ...excludedIn(mode)],
    globalSetup: 'test/support/build-once.ts',
    pool: 'forks',
    // As in src/cli/citewell.js: before Node 26, V8 can crash when threads share WebAssembly.
    execArgv: Number.parseInt(process.versions.node, 10) < 26 ? ['--no-wasm-code-gc'] : [],
    // Nothing here lives in module scope, so files can share a worker; loading everything anew for each takes a minute.
    isolate: false,
    // Many tests wait for processes they started; one worker less than there are cores, the default, waits with them.
    maxWorkers: Math.max(4, availableParallelism()),
    // Only against hangs: the slow tests take up to half a minute on a quiet machine, and several times that elsewhere.
    testTimeout: runsSlow(mode) ? 300_000 : 60_000,
    hookTimeout: runsSlow(mode) ? 300_000 : 60_000,
    expect: { poll: { timeout: 20_000 } },
    restoreMocks: true,
  },
}));

/** Slow tests for both engines run in the mode for PostgreSQL too. */
function runsSlow(mode: string): boolean {
  return mode === 'slow' || mode === 'postgres';
}

function includedIn(mode: string): string[] {
  if (mode === 'postgres') return testsWith('support/engines.ts');
  if (mode === 'properties') return testsWith("from 'fast-check'");
  return [mode === 'slow' ? SLOW : 'test/**/*.test.ts'];
}

function excludedIn(mode: string): string[] {
  if (runsSlow(mode)) return [];
  return mode === 'thorough' || mode === 'properties' ? [SLOW] : [SLOW, LONG];
}

function testsWith(text: string): string[] {
  return globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes(text));
}
