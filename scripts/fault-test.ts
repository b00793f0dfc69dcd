import './build-first.js';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { clockJumps } from './fault-test/clock-jumps.ts';
import { damagedDatabase } from './fault-test/damaged-database.ts';
import { damagedIndex } from './fault-test/damaged-index.ts';
import type { Fault } from './fault-test/fault.ts';
import { fewDescriptors } from './fault-test/few-descriptors.ts';
import { fullDisk } from './fault-test/full-disk.ts';
import { hangingChroma } from './fault-test/hanging-chroma.ts';
import { littleMemory } from './fault-test/little-memory.ts';
import { manyConnections } from './fault-test/many-connections.ts';
import { readOnlyFolder } from './fault-test/read-only-folder.ts';
import { slowUploads } from './fault-test/slow-uploads.ts';
import { openTrial } from './fault-test/trial.ts';
import { twoServers } from './fault-test/two-servers.ts';
import { type Totals, tally } from './kill-test/report.ts';

const USAGE = `Injects faults around the service and checks that it survives them.

  npm run -s fault-test -- [options]

  --only NAME    one of the faults below; may be repeated
  --short        fewer documents and connections, for continuous integration
  --report FILE  writes the counts as JSON

For each fault: nothing acknowledged is lost, what is refused is refused with a clear reason, and the service recovers
by itself (from a damaged database: after a backup is restored). Needs Linux; a fault that the machine does not permit,
such as mounting a small file system, is simulated in another way or reported as skipped.
`;

const options = {
  only: { type: 'string', multiple: true, default: [] as string[] },
  short: { type: 'boolean', default: false },
  report: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** Faults that are tried concurrently, each with its own service. They wait more than they compute. */
const LANES = 2;

const FAULTS: readonly Fault[] = [
  hangingChroma,
  fullDisk,
  readOnlyFolder,
  damagedDatabase,
  damagedIndex,
  fewDescriptors,
  littleMemory,
  clockJumps,
  twoServers,
  manyConnections,
  slowUploads,
];

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  const unknown = values.only.filter((name) => !FAULTS.some((fault) => fault.name === name));
  if (values.help || unknown.length > 0) {
    console.log(USAGE);
    for (const { name, title } of FAULTS) console.log(`  ${name.padEnd(18)} ${title}`);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const chosen = FAULTS.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  const totals: Totals = { passed: 0, failed: 0 };
  const waiting = [...chosen.entries()];
  const runOneByOne = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, fault] = next;
      await tryFault(fault, index, { isShort: values.short, totals });
    }
  };
  await Promise.all(Array.from({ length: LANES }, runOneByOne));
  if (values.report !== undefined) {
    await writeFile(values.report, JSON.stringify({ numPassedTests: totals.passed, numFailedTests: totals.failed }));
  }
  console.log(`${totals.passed} checks passed, ${totals.failed} failed`);
  process.exitCode = totals.failed === 0 ? 0 : 1;
}

async function tryFault(
  fault: Fault,
  seed: number,
  { isShort, totals }: { readonly isShort: boolean; readonly totals: Totals },
): Promise<void> {
  const absence = await fault.absence?.();
  if (absence !== undefined) {
    console.log(`${fault.name}: skipped: ${absence}`);
    return;
  }
  const startedAt = performance.now();
  const trial = await openTrial({ isShort, seed });
  try {
    await fault.run(trial);
  } catch (error) {
    trial.check('the trial completes', error instanceof Error ? String(error.stack) : String(error));
  } finally {
    await trial.close();
  }
  const lines = tally(trial.checks, totals);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(
    `${fault.name}: ${trial.checks.length - lines.filter((line) => line.includes('FAILED:')).length} of ${trial.checks.length} checks passed in ${seconds} s`,
  );
  for (const line of lines) console.log(line);
  if (lines.length > 0 && trial.logged() !== '')
    console.log(`  log of the service:\n${trial.logged().trim().slice(-3_000)}`);
}

await main();
