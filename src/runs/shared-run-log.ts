import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { createThrottledTask, type ThrottledTask } from '../shared/throttled-task.ts';
import { createVersionWatch, type VersionWatch } from '../shared/version-watch.ts';
import type { SharedRun, SharedRuns } from '../store/shared-state.ts';
import { CANCEL_TIMEOUT_MS, type NumberedEvent, noSuchEvent, type ReadableRun, type RunRecord } from './run.ts';
import { type ReportProblem, RunJournal } from './run-journal.ts';
import { graceOf, noSuchRun, type RunLog, type RunLogSettings, type StartRun, stopping } from './run-log.ts';
import { RunReaders } from './run-readers.ts';

/** Interval at which followed runs of other servers are polled for new events. */
const POLL_MS = 100;
/** Expired and surplus runs are removed at this interval, and after a run has ended, at most once per pause. */
const TRIM_EVERY_MS = 30_000;
const TRIM_PAUSE_MS = 1_000;

/** Runs of all servers. Each server persists the events of its own runs, so that readers can resume at any server. */
export class SharedRunLog implements RunLog {
  readonly #runs: SharedRuns;
  readonly #settings: RunLogSettings;
  readonly #journal: RunJournal;
  readonly #readers: RunReaders;
  readonly #watch: VersionWatch<string>;
  readonly #trimming: ThrottledTask;
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(runs: SharedRuns, settings: RunLogSettings, report: ReportProblem) {
    this.#runs = runs;
    this.#settings = settings;
    this.#trimming = createThrottledTask({
      everyMs: TRIM_PAUSE_MS,
      work: () => runs.trim(settings),
      onFailure: (error) => report('Old runs could not be removed.', error),
    });
    this.#timer = setInterval(() => this.#trimming.wake(), TRIM_EVERY_MS).unref();
    this.#journal = new RunJournal(runs, { report, onEnded: () => this.#trimming.wake() });
    this.#readers = new RunReaders(runs);
    this.#watch = createVersionWatch(POLL_MS, async (ids) => {
      const versions = await runs.versions([...new Set(ids)]);
      return ids.map((id) => versions.get(id));
    });
  }

  async start({ isResumable, ...parts }: StartRun): Promise<ReadableRun> {
    if (this.#isClosed) throw stopping();
    const { ownerId, kind, conversationId, onFailure } = parts;
    const id = randomUUID();
    await this.#runs.insert({ id, ownerId, kind, conversationId, lost: onFailure(serverEnded()) });
    return this.#journal.start({ ...parts, id, graceMs: graceOf(isResumable, this.#settings) });
  }

  async get(id: string, ownerId: string): Promise<ReadableRun> {
    const own = this.#journal.get(id);
    if (own !== undefined && own.ownerId === ownerId) return own;
    await this.#read(id, ownerId);
    return {
      id,
      readRecord: async () => toRecord(await this.#read(id, ownerId)),
      follow: (after, signal) => this.#follow({ id, ownerId }, after, signal),
      untilEnded: (signal) => this.#untilEnded(id, ownerId, signal),
      cancel: async () => {
        await this.#runs.cancel(id);
        const late = new AbortController();
        const timeUp = sleep(CANCEL_TIMEOUT_MS, undefined, { signal: late.signal }).catch(() => {});
        await Promise.race([this.#untilEnded(id, ownerId, late.signal), timeUp]);
        late.abort();
      },
    };
  }

  async list(ownerId: string): Promise<readonly RunRecord[]> {
    return (await this.#runs.list(ownerId)).filter((run) => this.#isKept(run)).map(toRecord);
  }

  async removeOfOwner(ownerId: string): Promise<void> {
    await this.#journal.removeOfOwner(
      ownerId,
      new ServiceError('cancelled', 'The run was cancelled because its user was deleted.'),
    );
    await this.#runs.removeOfOwner(ownerId);
  }

  finish(withinMs: number): Promise<void> {
    return this.#journal.finish(withinMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#readers.close();
    await this.#journal.close(serverStops());
    await this.#trimming.close(0);
  }

  #isKept({ endedAt }: SharedRun): boolean {
    return endedAt === null || endedAt.getTime() > Date.now() - this.#settings.retentionMs;
  }

  async #read(id: string, ownerId: string): Promise<SharedRun> {
    const run = await this.#runs.get(id);
    if (run === undefined || run.ownerId !== ownerId || !this.#isKept(run)) throw noSuchRun(id, this.#settings);
    return run;
  }

  async *#follow(
    { id, ownerId }: Pick<SharedRun, 'id' | 'ownerId'>,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<NumberedEvent, void> {
    const { events } = await this.#read(id, ownerId);
    if (after > events) throw noSuchEvent(id, events, after);
    const reader = this.#readers.addReader(id, after);
    try {
      for (let taken = after; ; ) {
        signal.throwIfAborted();
        // The run is read before its events, so that none is missed if the run has ended.
        const run = await this.#read(id, ownerId);
        const part = await this.#runs.events(id, taken);
        for (const event of part) {
          taken = event.number;
          yield event;
          reader.taken(taken);
          signal.throwIfAborted();
        }
        if (taken < run.events) continue;
        if (run.endedAt !== null) return;
        // `taken` includes events that arrived between the two queries.
        await this.#watch.changed(id, `${taken} ${run.state}`, signal);
      }
    } finally {
      reader.leave();
    }
  }

  async #untilEnded(id: string, ownerId: string, signal: AbortSignal): Promise<void> {
    let reader: ReturnType<RunReaders['addReader']> | undefined;
    try {
      while (!signal.aborted) {
        const run = await this.#runs.get(id);
        if (run === undefined || run.ownerId !== ownerId || run.endedAt !== null) return;
        // A caller that only waits for the end counts as having read everything, so that it causes no back-pressure.
        reader ??= this.#readers.addReader(id, run.events);
        reader.taken(run.events);
        await this.#watch.changed(id, `${run.events} ${run.state}`, signal).catch(() => {});
      }
    } finally {
      reader?.leave();
    }
  }
}

const serverEnded = (): ServiceError =>
  new ServiceError('cancelled', 'The server handling this request ended before completing it. Ask again.');

const serverStops = (): ServiceError =>
  new ServiceError('cancelled', 'The server handling this request was stopped before completing it. Ask again.');

const toRecord = ({ isCancelled, state, ownerId: _, ...run }: SharedRun): RunRecord => ({
  ...run,
  status: state === 'running' && isCancelled ? 'cancelled' : state,
});
