import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApi } from './kill-test/api.ts';
import { createDrafts } from './kill-test/draft.ts';
import { createExpectedState } from './kill-test/expected-state.ts';
import { chromasOn, kill, within } from './kill-test/processes.ts';
import { type Totals, tally } from './kill-test/report.ts';
import { dataFolderOf, type RoundOutcome, runRound, type Subject, startSubject } from './kill-test/round.ts';
import { seededRandom } from './seeded-random.ts';

const USAGE = `Kills the service and its Chroma at random moments of ingestion, and checks that nothing is lost.

  npm run -s kill-test -- [options]

  --rounds N     default 50
  --seed N       repeats another run, as far as timing allows; default: a new seed
  --report FILE  writes the counts as JSON
  --keep         keeps the data folder after a failure

Every round adds, replaces and deletes documents from several clients, kills (SIGKILL) the server, its Chroma or both,
and waits for the recovery. Then SQL on the database file, Chroma's own client and HTTP requests must agree that
everything acknowledged is stored, everything deleted is gone, and no document was ever visible in part.`;

const options = {
  rounds: { type: 'string', default: '50' },
  seed: { type: 'string' },
  report: { type: 'string' },
  keep: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Rounds between two searches for all documents. */
const FULL_SEARCH_EVERY = 10;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  const rounds = Number(values.rounds);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
  if (values.help || !Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed)) {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  console.log(`seed ${seed}, ${rounds} rounds`);
  const totals: Totals = { passed: 0, failed: 0 };
  const subject: Subject = {
    folder: await realpath(await mkdtemp(join(tmpdir(), 'citewell-kill-'))),
    server: undefined,
  };
  try {
    await runRounds({ rounds, seed, subject, totals });
    await checkStop(subject, totals);
  } catch (error) {
    totals.failed++;
    console.log(
      `  FAILED: the test itself was interrupted by an error\n    ${error instanceof Error ? error.stack : String(error)}`,
    );
  } finally {
    await subject.server?.kill();
    for (const { pid } of await chromasOn(dataFolderOf(subject))) kill(pid);
    if (values.keep && totals.failed > 0) console.log(`The data are in ${subject.folder}.`);
    else await rm(subject.folder, { recursive: true, force: true, maxRetries: 5 });
  }
  if (values.report !== undefined) {
    await writeFile(values.report, JSON.stringify({ numPassedTests: totals.passed, numFailedTests: totals.failed }));
  }
  console.log(`seed ${seed}: ${totals.passed} checks passed, ${totals.failed} failed`);
  process.exitCode = totals.failed === 0 ? 0 : 1;
}

interface Rounds {
  readonly rounds: number;
  readonly seed: number;
  readonly subject: Subject;
  readonly totals: Totals;
}

async function runRounds({ rounds, seed, subject, totals }: Rounds): Promise<void> {
  const random = seededRandom(seed);
  const expected = createExpectedState();
  const drafts = createDrafts(random.fork());
  const api = createApi(() => subject.server?.url ?? 'http://127.0.0.1:9');
  await startSubject(subject);
  for (let round = 0; round < rounds; round++) {
    const searchesAll = round === rounds - 1 || round % FULL_SEARCH_EVERY === FULL_SEARCH_EVERY - 1;
    const outcome = await runRound({ round, subject, api, expected, drafts, random: random.fork(), searchesAll });
    const there = [...expected.entries.values()].filter(({ draft }) => draft !== null);
    console.log(`round ${round + 1}: ${describe(outcome)}; ${there.length} documents`);
    const failures = tally(outcome.checks, totals);
    for (const line of failures) console.log(line);
    if (failures.length > 0) console.log(`  log of the server:\n${subject.server?.stderr().trim().slice(-3_000)}`);
  }
}

function describe({ plan, tally: done, recoveryMs }: RoundOutcome): string {
  const victim = plan.victim === 'both' ? 'server and Chroma' : plan.victim;
  const again = plan.againAfterMs === null ? '' : `, again ${seconds(plan.againAfterMs)} into the next start`;
  return (
    `killed ${victim} after ${seconds(plan.afterMs)}${again}; ${done.put} put, ${done.deleted} deleted, ` +
    `${done.tagged} tagged, ${done.restored} restored, ${done.unanswered} unanswered; recovered in ${seconds(recoveryMs)}`
  );
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`;

const CHROMA_GONE_WITHIN_MS = 1_000;

/** Checks that a graceful stop is fast and leaves no process behind. */
async function checkStop(subject: Subject, totals: Totals): Promise<void> {
  const end = await subject.server?.end('SIGTERM');
  const isAlone = await within(
    CHROMA_GONE_WITHIN_MS,
    async () => (await chromasOn(dataFolderOf(subject))).length === 0,
  );
  console.log(`stopped in ${seconds(end?.milliseconds ?? 0)} with exit code ${end?.code}`);
  const violations = [
    ...(end?.code === 0 || end?.code === 143 ? [] : [`It ended with ${end?.code}.`]),
    ...(isAlone ? [] : ['Its Chroma is still running.']),
  ];
  for (const line of tally([{ title: 'the service stops when asked', violations }], totals)) console.log(line);
}

await main();
