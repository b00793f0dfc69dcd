import './build-first.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { databaseUrl, findPostgres, startPostgres, stopPostgres } from '../test/support/postgres-server.ts';
import { PROGRAM } from '../test/support/run-citewell.ts';
import { checkMigrated } from './measure-migration/check-migrated.ts';
import { fillR2rDatabase } from './measure-migration/r2r-database.ts';
import { usageOf } from './process-usage.ts';

const USAGE = `Migrates a database of R2R with many documents: killed after a third, continued, and run once more. Prints times and
memory, and compares the result with the database. Needs PostgreSQL. Linux only.

  node scripts/measure-migration.ts [--documents N] [--chunks N] [--users N] [--conversations N]

  --documents N      default 10000; every second one with its file, the others with chunks only
  --chunks N         per document, with vectors of 512 dimensions; default 5
  --users N          default 200
  --conversations N  of six messages; default 1000

Settings of the environment that begin with CITEWELL_ are passed on. Megabytes are of 10⁶ bytes.`;

const POLL_MS = 2_000;
const MEGABYTE = 1_000_000;

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '10000' },
    chunks: { type: 'string', default: '5' },
    users: { type: 'string', default: '200' },
    conversations: { type: 'string', default: '1000' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (values.help) return console.log(USAGE);
  const bin = findPostgres();
  if (bin === undefined) throw new Error('PostgreSQL is not installed.');
  const folder = await mkdtemp(join(tmpdir(), 'citewell-migration-'));
  const [postgres, cwd] = [join(folder, 'postgres'), join(folder, 'work')];
  await Promise.all([mkdir(postgres), mkdir(cwd)]);
  // PostgreSQL may run as another user, who needs access to the folder.
  await chmod(folder, 0o755);
  try {
    await startPostgres({ bin, folder: postgres, runner: process.pid }, async () => {});
    const url = databaseUrl(postgres, 'postgres');
    const counts = await fillR2rDatabase(url, {
      documents: Number(values.documents),
      chunksPerDocument: Number(values.chunks),
      dimensions: 512,
      users: Number(values.users),
      conversations: Number(values.conversations),
      messagesPerConversation: 6,
    });
    console.log(
      `In R2R: ${Object.entries(counts)
        .map(([kind, number]) => `${number} ${kind}`)
        .join(', ')}.`,
    );
    console.log('| run | outcomes | seconds | processor seconds | MB at most | load |');
    console.log('|---|---|---|---|---|---|');
    await migrate({ name: 'first, until it is killed', cwd, url, killedAfter: counts.documents / 3 });
    await migrate({ name: 'continued', cwd, url });
    await migrate({ name: 'once more', cwd, url });
    const problems = await checkMigrated(cwd, counts, Number(values.users));
    for (const problem of problems) console.log(problem);
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    await stopPostgres(postgres);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

interface MigrationRun {
  readonly name: string;
  readonly cwd: string;
  /** R2R's database. */
  readonly url: string;
  /** Copied documents after which the process is killed. */
  readonly killedAfter?: number;
}

async function migrate({ name, cwd, url, killedAfter = Number.POSITIVE_INFINITY }: MigrationRun): Promise<void> {
  const passed = Object.entries(process.env).filter(([variable]) => /^(CITEWELL_|PATH$|HOME$|TMPDIR$)/.test(variable));
  const args = [PROGRAM, 'migrate', 'r2r', '--postgres', url, '--json'];
  const env = { ...Object.fromEntries(passed), CITEWELL_LOCAL_MODELS: 'off' };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const watched = watch(child);
  const startedAt = performance.now();
  const outcomes = new Map<string, number>();
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as MigrationLine;
    if (event.type !== 'item') continue;
    const outcome = `${event.kind}s ${event.outcome}`;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if ((outcomes.get('documents copied') ?? 0) >= killedAfter) child.kill('SIGKILL');
  }
  const { seconds, bytes } = await watched;
  const cells = [
    name,
    [...outcomes].map(([outcome, number]) => `${number} ${outcome}`).join(', '),
    ((performance.now() - startedAt) / 1000).toFixed(1),
    seconds.toFixed(1),
    Math.round(bytes / MEGABYTE),
    loadavg()[0]?.toFixed(1),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

interface MigrationLine {
  readonly type: string;
  readonly kind: string;
  readonly outcome: string;
}

/** Processor time and largest memory of a process and its descendants, once it has ended. */
async function watch(child: ChildProcess): Promise<{ readonly seconds: number; readonly bytes: number }> {
  const ended = once(child, 'close');
  let [seconds, bytes] = [0, 0];
  const timer = setInterval(async () => {
    const usage = await usageOf(child.pid ?? 0);
    seconds = Math.max(seconds, usage.seconds);
    bytes = Math.max(bytes, usage.bytes);
  }, POLL_MS);
  await ended;
  clearInterval(timer);
  return { seconds, bytes };
}

await main();
