import { randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Descendant, descendantsOf, isRunning } from '../../test/support/descendants.ts';
import {
  type Run,
  type RunningServer,
  type RunOptions,
  runCitewell,
  startCitewell,
} from '../../test/support/run-citewell.ts';
import { type Answer, type Api, createApi, member } from '../kill-test/api.ts';
import { createDrafts, type Draft, shownOf } from '../kill-test/draft.ts';
import { within } from '../kill-test/processes.ts';
import type { Check } from '../kill-test/report.ts';
import { seededRandom } from '../seeded-random.ts';

/** One service in its own folder, with a record of what it acknowledged. */
export interface Trial {
  readonly isShort: boolean;
  /** The working folder. */
  readonly folder: string;
  readonly dataFolder: string;
  readonly api: Api;
  readonly checks: readonly Check[];
  start(options?: Omit<RunOptions, 'cwd'>): Promise<RunningServer>;
  /** The running service. */
  server(): RunningServer;
  /** Log output of the service started last. */
  logged(): string;
  /** Stops the service; its child processes must have ended by the end of the trial. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<{ readonly code: number | null; readonly milliseconds: number }>;
  /** Runs another command on the same data folder. */
  command(args: readonly string[], options?: Omit<RunOptions, 'cwd'>): Promise<Run>;
  /** Uploads documents concurrently and records the acknowledged ones. */
  add(count: number, paragraphs?: number): Promise<Added>;
  /** Deletes the last acknowledged document. */
  removeLast(): Promise<void>;
  check(title: string, ...violations: readonly (string | undefined | false)[]): void;
  /** Waits until the index is up to date again. */
  checkRecovered(): Promise<void>;
  /** Checks every acknowledged document: its chunks, and both kinds of search. */
  checkNothingLost(): Promise<void>;
  close(): Promise<void>;
}

export interface Added {
  readonly acknowledged: number;
  readonly refused: readonly Answer[];
  /** Requests without a response. */
  readonly unanswered: readonly string[];
  readonly slowestMs: number;
}

const CLIENTS = 4;
/** Generous, for loaded machines. */
const STARTED_WITHIN_MS = 90_000;
const RECOVERED_WITHIN_MS = 60_000;
const GONE_WITHIN_MS = 5_000;

export async function openTrial({ isShort, seed }: { isShort: boolean; seed: number }): Promise<Trial> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'citewell-fault-')));
  const drafts = createDrafts(seededRandom(seed));
  const acknowledged: Draft[] = [];
  const checks: Check[] = [];
  const descendants: Descendant[] = [];
  let running: RunningServer | undefined;
  let logged = () => '';
  const api = createApi(() => running?.url ?? 'http://127.0.0.1:9');
  const server = (): RunningServer => {
    if (running === undefined) throw new Error('No service runs.');
    return running;
  };
  const check: Trial['check'] = (title, ...violations) => {
    checks.push({ title, violations: violations.filter((each) => typeof each === 'string') });
  };

  const trial: Trial = {
    isShort,
    folder,
    dataFolder: join(folder, '.citewell'),
    api,
    checks,
    server,
    logged: () => logged(),
    check,
    async start(options = {}) {
      running = await startCitewell({
        cwd: folder,
        startWithinMs: STARTED_WITHIN_MS,
        ...options,
        env: { CITEWELL_LOG_LEVEL: 'warn', ...options.env },
      });
      logged = running.stderr;
      return running;
    },
    async stop(signal = 'SIGTERM') {
      const stopped = server();
      descendants.push(...(await descendantsOf(stopped.pid)));
      running = undefined;
      return stopped.end(signal);
    },
    command: (args, options = {}) => runCitewell(args, { cwd: folder, ...options }),
    async add(count, paragraphs = 3) {
      const refused: Answer[] = [];
      const unanswered: string[] = [];
      let slowestMs = 0;
      const before = acknowledged.length;
      const waiting = Array.from({ length: count }, () => drafts.draft(randomUUID(), 1, paragraphs));
      const send = async () => {
        for (let draft = waiting.pop(); draft !== undefined; draft = waiting.pop()) {
          const startedAt = performance.now();
          try {
            const answer = await api.put(draft, false);
            if (answer.status < 300) acknowledged.push(draft);
            else refused.push(answer);
          } catch (error) {
            unanswered.push(String(error));
          }
          slowestMs = Math.max(slowestMs, performance.now() - startedAt);
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, send));
      return { acknowledged: acknowledged.length - before, refused, unanswered, slowestMs };
    },
    async removeLast() {
      const last = acknowledged.pop();
      if (last === undefined) return;
      const { status } = await api.remove(last.id);
      const { status: afterwards } = await api.chunks(last.id);
      check(
        'a document can be deleted',
        status !== 200 && `It was answered ${status}.`,
        afterwards !== 404 && `Its passages are answered ${afterwards}.`,
      );
    },
    async checkRecovered() {
      let trouble = '';
      await within(RECOVERED_WITHIN_MS, async () => {
        trouble = await recoveryProblem(api).catch((error: unknown) => String(error));
        return trouble === '';
      });
      check('it recovers by itself', trouble !== '' && `After ${RECOVERED_WITHIN_MS / 1000} s: ${trouble}`);
    },
    async checkNothingLost() {
      const violations: string[] = [];
      for (const draft of acknowledged) {
        const chunks = await api.chunks(draft.id);
        const found = await api.search(draft.word, { leg: 'full_text', id: draft.id, limit: 1_000 });
        const near = await api.search(draft.paragraphs[0] ?? '', { leg: 'semantic', id: draft.id, limit: 1_000 });
        for (const [way, { status, texts }] of Object.entries({ chunks, found, near })) {
          const shown = shownOf(draft, texts);
          if (status !== 200 || shown !== 'all') violations.push(`${draft.id} by ${way}: ${status}, ${shown} of it.`);
        }
      }
      check(`nothing acknowledged is lost (${acknowledged.length} documents)`, ...violations);
    },
    async close() {
      if (running !== undefined) {
        const { code, milliseconds } = await trial.stop();
        const isWell = code === 0 || code === 143;
        check(
          'it stops when asked',
          !isWell && `It ended with ${code}.`,
          milliseconds > 10_000 && `It took ${milliseconds} ms.`,
        );
      }
      let left: Descendant[] = [];
      await within(GONE_WITHIN_MS, async () => {
        const alive = await Promise.all(descendants.map(async (each) => ((await isRunning(each.pid)) ? [each] : [])));
        left = alive.flat();
        return left.length === 0;
      });
      check('no process is left', ...left.map(({ pid, command }) => `Process ${pid}: ${command}`));
      for (const { pid } of left) process.kill(pid, 'SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return trial;
}

/** Problem that the service itself reports; empty if it is healthy. */
async function recoveryProblem(api: Api): Promise<string> {
  const state = member(member(member((await api.health()).body, 'results'), 'index'), 'state');
  if (state !== 'ready') return `the index is ${String(state)}.`;
  const pending = member(member(member((await api.status()).body, 'results'), 'citewell'), 'pending_index_writes');
  return pending === 0 ? '' : `${String(pending)} writes to the index are pending.`;
}

/** Status and error message of a failed response. */
export const sentenceOf = ({ status, body }: Answer): string => `${status} ${String(member(body, 'message'))}`;
