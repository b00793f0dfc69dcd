import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { Run, type RunRecord } from './run.ts';
import { graceOf, noSuchRun, type RunLog, type RunLogSettings, type StartRun, stopping } from './run-log.ts';

/** Keeps runs in memory, for an installation with a single server. */
export class InProcessRunLog implements RunLog {
  readonly #settings: RunLogSettings;
  readonly #running = new Map<string, Run>();
  /** In the order in which the runs ended. */
  readonly #ended = new Map<string, { readonly run: Run; readonly forget: NodeJS.Timeout }>();

  constructor(settings: RunLogSettings) {
    this.#settings = settings;
  }

  async start({ isResumable, ...parts }: StartRun): Promise<Run> {
    const run = new Run({ ...parts, id: randomUUID(), graceMs: graceOf(isResumable, this.#settings) });
    this.#running.set(run.id, run);
    void run.ended.then(() => this.#end(run));
    return run;
  }

  async get(id: string, ownerId: string): Promise<Run> {
    const run = this.#running.get(id) ?? this.#ended.get(id)?.run;
    if (run !== undefined && run.ownerId === ownerId) return run;
    throw noSuchRun(id, this.#settings);
  }

  async list(ownerId: string): Promise<readonly RunRecord[]> {
    const runs = [...this.#running.values(), ...this.#ended.values().map(({ run }) => run)];
    return runs
      .filter((run) => run.ownerId === ownerId)
      .map((run) => run.record)
      .sort((a, b) => b.startedAt.getTime() - a.startedAt.getTime());
  }

  async removeOfOwner(ownerId: string): Promise<void> {
    const reason = new ServiceError('cancelled', 'The run was cancelled because its user was deleted.');
    for (const run of [...this.#running.values()].filter((each) => each.ownerId === ownerId)) {
      this.#running.delete(run.id);
      await run.cancel(reason);
    }
    for (const [id, { run }] of this.#ended) if (run.ownerId === ownerId) this.#forget(id);
  }

  async finish(): Promise<void> {}

  async close(): Promise<void> {
    const reason = stopping();
    await Promise.all([...this.#running.values()].map((run) => run.cancel(reason)));
    for (const id of this.#ended.keys()) this.#forget(id);
  }

  #end(run: Run): void {
    const isKept = this.#running.delete(run.id) && !run.failedBeforeFirstEvent;
    if (!isKept) return;
    const { id } = run;
    const forget = setTimeout(() => this.#forget(id), this.#settings.retentionMs).unref();
    this.#ended.set(id, { run, forget });
    let size = 0;
    for (const ended of this.#ended.values()) size += ended.run.size;
    for (const [oldest, ended] of this.#ended) {
      const isTooMuch = this.#ended.size > this.#settings.maxRuns || size > this.#settings.maxCharacters;
      // The most recent run is kept regardless of its size: its reader may not have finished.
      if (!isTooMuch || oldest === id) return;
      size -= ended.run.size;
      this.#forget(oldest);
    }
  }

  #forget(id: string): void {
    clearTimeout(this.#ended.get(id)?.forget);
    this.#ended.delete(id);
  }
}
