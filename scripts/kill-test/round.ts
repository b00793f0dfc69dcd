import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningServer, startCitewell } from '../../test/support/run-citewell.ts';
import type { Random } from '../seeded-random.ts';
import { type Api, member } from './api.ts';
import { checkAll } from './checks.ts';
import type { createDrafts } from './draft.ts';
import type { Entry, ExpectedState } from './expected-state.ts';
import { readIndex, readRecords } from './inspect.ts';
import { type ChromaProcess, chromasOn, kill, within } from './processes.ts';
import type { Check } from './report.ts';
import { resolvePending } from './resolve-pending.ts';
import { watchVisibility } from './watch-visibility.ts';
import { runWorkload, type Tally } from './workload.ts';

/** The service under test; `server` changes with every start. */
export interface Subject {
  /** The working folder; the data is in its `.citewell`. */
  readonly folder: string;
  server: RunningServer | undefined;
}

export interface RoundParts {
  /** Number of the round, from 0. */
  readonly round: number;
  readonly subject: Subject;
  readonly api: Api;
  readonly expected: ExpectedState;
  readonly drafts: ReturnType<typeof createDrafts>;
  readonly random: Random;
  /** Whether to search for all documents, rather than the changed ones and a few others. */
  readonly searchesAll: boolean;
}

export interface RoundOutcome {
  readonly plan: Plan;
  readonly tally: Tally;
  readonly recoveryMs: number;
  readonly checks: readonly Check[];
}

/** Which processes are killed, and when. */
export interface Plan {
  readonly victim: 'server' | 'chroma' | 'both';
  readonly afterMs: number;
  /** Delay in milliseconds after which the next start is killed as well; null if it is not. */
  readonly againAfterMs: number | null;
}

const CLIENTS = 5;
const RECOVERED_WITHIN_MS = 90_000;
/** Orphaned processes must end within this time. */
const ORPHANS_GONE_WITHIN_MS = 6_000;

export const dataFolderOf = ({ folder }: Subject): string => join(folder, '.citewell');

export async function startSubject(subject: Subject): Promise<RunningServer> {
  subject.server = await startCitewell({ cwd: subject.folder, env: { CITEWELL_LOG_LEVEL: 'warn' } });
  return subject.server;
}

/** One round: changes documents, kills processes, waits for recovery, and checks everything. */
export async function runRound(parts: RoundParts): Promise<RoundOutcome> {
  const { subject, api, expected, drafts, random } = parts;
  const plan = planRound(parts);
  const before = new Map([...expected.entries.values()].map(({ id, changes }) => [id, changes]));
  const complaints: string[] = [];
  const isOver = new AbortController();
  const stopWork = new AbortController();
  const watching = watchVisibility({ api, expected, random: random.fork(), stop: isOver.signal });
  const working = runWorkload({
    api,
    expected,
    drafts,
    random: random.fork(),
    clients: CLIENTS,
    stop: stopWork.signal,
    complain: (sentence) => complaints.push(sentence),
  });

  await sleep(plan.afterMs);
  const orphans = await killProcess(plan, subject, random);
  if (plan.victim === 'chroma') await sleep(random.integer(200, 2_000));
  stopWork.abort();
  const tally = await working;

  const startedAt = performance.now();
  if (plan.victim !== 'chroma') await restart(plan, subject);
  const troubles = await recovered(parts);
  const recoveryMs = performance.now() - startedAt;
  isOver.abort();
  const sightings = await watching;

  const checks: Check[] = [
    { title: 'no Chroma survives its server', violations: orphans },
    { title: 'requests succeed while the service lives', violations: complaints },
    { title: 'the service recovers by itself', violations: troubles },
    { title: 'no document is ever visible in part, or missing', violations: sightings.violations },
  ];
  checks.push(...(await inspect(parts, before)));
  return { plan, tally, recoveryMs, checks };
}

/** Used in rotation, so that even a short test includes each kind. */
const VICTIMS = ['server', 'chroma', 'both', 'server', 'chroma', 'server'] as const;

function planRound({ round, random }: RoundParts): Plan {
  const victim = VICTIMS[round % VICTIMS.length] ?? 'server';
  return {
    victim,
    afterMs: random.integer(100, 4_000),
    againAfterMs: victim !== 'chroma' && random.chance(0.3) ? random.integer(50, 3_000) : null,
  };
}

/** Kills the planned processes; returns the Chroma servers that survived too long, in sentences. */
async function killProcess({ victim }: Plan, subject: Subject, random: Random): Promise<string[]> {
  const dataFolder = dataFolderOf(subject);
  const killChroma = async () => {
    for (const { pid } of await chromasOn(dataFolder)) kill(pid);
  };
  if (victim === 'chroma' || (victim === 'both' && random.chance(0.5))) await killChroma();
  if (victim === 'chroma') return [];
  await sleep(victim === 'both' ? random.integer(0, 200) : 0);
  await subject.server?.kill();
  if (victim === 'both') await killChroma();
  return orphansOf(dataFolder);
}

async function orphansOf(dataFolder: string): Promise<string[]> {
  let alive: readonly ChromaProcess[] = [];
  await within(ORPHANS_GONE_WITHIN_MS, async () => {
    alive = await chromasOn(dataFolder);
    return alive.length === 0;
  });
  return alive.map(
    ({ pid }) => `Process ${pid} is alive ${ORPHANS_GONE_WITHIN_MS / 1000} s after its server was killed.`,
  );
}

async function restart({ againAfterMs }: Plan, subject: Subject): Promise<void> {
  if (againAfterMs !== null) {
    let died: Promise<unknown> | undefined;
    const starting = startCitewell({
      cwd: subject.folder,
      onStart: (child) => {
        died = sleep(againAfterMs).then(() => child.kill('SIGKILL'));
      },
    });
    // If it is killed before it is ready, it never prints its address and the start rejects.
    const server = await starting.catch(() => undefined);
    subject.server = server;
    await died;
    await server?.kill();
    // Restarted immediately: the service must cope with a Chroma that is still shutting down.
  }
  await startSubject(subject);
}

/** Waits until the service is healthy; returns the problem if it does not recover in time. */
async function recovered({ subject, api }: RoundParts): Promise<string[]> {
  let trouble = '';
  const isWell = await within(RECOVERED_WITHIN_MS, async () => {
    trouble = await recoveryProblem(subject, api).catch((error: unknown) => String(error));
    return trouble === '';
  });
  return isWell ? [] : [`After ${RECOVERED_WITHIN_MS / 1000} s: ${trouble}`];
}

async function recoveryProblem(subject: Subject, api: Api): Promise<string> {
  const health = member((await api.health()).body, 'results');
  const state = member(member(health, 'index'), 'state');
  if (state !== 'ready') return `the index is ${String(state)}.`;
  const status = member(member((await api.status()).body, 'results'), 'citewell');
  const counts = Object.entries(Object(member(status, 'documents')));
  const unsettled = counts.filter(([name, count]) => !['success', 'failed'].includes(name) && Number(count) > 0);
  if (unsettled.length > 0) return `documents are still ${unsettled.map(([name]) => name).join(' and ')}.`;
  if (member(status, 'pending_index_writes') !== 0)
    return `${String(member(status, 'pending_index_writes'))} writes to the index are pending.`;
  const chromas = await chromasOn(dataFolderOf(subject));
  const [chroma] = chromas;
  if (chroma === undefined || chromas.length > 1) return `${chromas.length} Chroma processes run on the data folder.`;
  const records = readRecords(dataFolderOf(subject));
  try {
    if (records.pending > 0) return `the outbox has ${records.pending} entries.`;
    // A restarted Chroma may not have been compared with SQLite yet.
    const { keys } = await readIndex(chroma.port, records.collection);
    const visible = [...records.documents.values()].reduce((sum, { chunks }) => sum + chunks.length, 0);
    return keys.size === visible ? '' : `Chroma has ${keys.size} passages, ${visible} are visible.`;
  } finally {
    records.close();
  }
}

const OTHERS_SEARCHED = 25;
const FLUSHED_WITHIN_MS = 10_000;

async function inspect(parts: RoundParts, before: ReadonlyMap<string, number>): Promise<Check[]> {
  const { subject, api, expected, random, searchesAll } = parts;
  const [chroma] = await chromasOn(dataFolderOf(subject));
  // Background work may have added an outbox entry since the recovery; one that remains is reported.
  await within(FLUSHED_WITHIN_MS, async () => {
    const { pending, close } = readRecords(dataFolderOf(subject));
    close();
    return pending === 0;
  });
  const records = readRecords(dataFolderOf(subject));
  try {
    resolvePending(expected, records);
    const isChanged = ({ id, changes }: Entry) => searchesAll || before.get(id) !== changes;
    const entries = [...expected.entries.values()];
    const unchanged = entries.filter((entry) => !isChanged(entry));
    const share = OTHERS_SEARCHED / Math.max(1, unchanged.length);
    const searched = entries.filter((entry) => isChanged(entry) || random.chance(share));
    const index = await readIndex(chroma?.port ?? 0, records.collection);
    return await checkAll({ expected, records, index, api, random, searched });
  } catch (error) {
    return [{ title: 'the data can be read', violations: [String(error)] }];
  } finally {
    records.close();
  }
}
