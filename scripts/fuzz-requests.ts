import './build-first.js';
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runRequests } from './fuzz-requests/run.ts';
import { startSubject } from './fuzz-requests/subject.ts';
import { createTally } from './fuzz-requests/tally.ts';

const USAGE = `Sends mostly invalid requests to every route of the whole service, and checks that it survives them.

  npm exec -- node scripts/fuzz-requests.ts [options]

  --count N  requests; default 10000
  --seed N   repeats another run, as far as identifiers allow; default: a new seed
  --only R   only routes that match this regular expression, such as 'POST .*search'

Violations are: a 5xx caused by a request, a body that breaks the contract or leaks internals, no response within 15
seconds, an error in the log, an unhandled rejection, growing memory, a route that was not reached; and afterwards a
service that is not healthy, does not find a known passage, or whose records, full text and vectors disagree. Exits with
1 after a violation. Service and clients run in one process.`;

const options = {
  count: { type: 'string', default: '10000' },
  seed: { type: 'string' },
  only: { type: 'string', default: '' },
  help: { type: 'boolean', default: false },
} as const;

/** A handle that is still active this long after the service has closed is a leak. */
const ENDS_WITHIN_MS = 10_000;
const CHILDREN_GONE_WITHIN_MS = 3_000;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  const count = Number(values.count);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
  if (values.help || !Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  console.log(`seed ${seed}, ${count} requests`);
  const startedAt = performance.now();
  const tally = createTally();
  process.on('unhandledRejection', (reason) => tally.addComplaint(`A rejection was not handled: ${stackOf(reason)}`));
  process.on('uncaughtException', (error) => tally.addComplaint(`An exception was not caught: ${stackOf(error)}`));
  const subject = await startSubject();
  try {
    await runRequests({
      subject,
      count,
      seed,
      only: new RegExp(values.only),
      tally,
      report: (line) => console.log(line),
    });
  } catch (error) {
    tally.addComplaint(`The run was interrupted: ${stackOf(error)}`);
  } finally {
    await subject.close();
  }
  const left = await childrenLeft();
  if (left !== '') tally.addComplaint(`Processes are left: ${left}`);
  for (const line of tally.lines()) console.log(line);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`seed ${seed}: ${count} requests in ${seconds} s, ${tally.violations} violations`);
  process.exitCode = tally.violations === 0 ? 0 : 1;
  setTimeout(() => {
    console.log(`FAILED: still running: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, ENDS_WITHIN_MS).unref();
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** Child processes that have not ended in time, one per line. */
async function childrenLeft(): Promise<string> {
  for (const until = Date.now() + CHILDREN_GONE_WITHIN_MS; ; await sleep(100)) {
    const children = listChildren();
    if (children === '' || Date.now() > until) return children;
  }
}

function listChildren(): string {
  const list = execFileSync('ps', ['-Ao', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const own = list.split('\n').filter((line) => {
    const [, parent, program = ''] = line.trim().split(/\s+/);
    return Number(parent) === process.pid && !/(^|\/)ps$/.test(program);
  });
  return own.join('\n');
}

await main();
