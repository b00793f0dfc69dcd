import { randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { Run, type RunRecord } from './run.ts';

export interface RunLogSettings {
  /** Milliseconds a run goes on without a reader before it is ended; 0 ends it at once. */
  readonly grace: number;
  /** Milliseconds an ended run's events are kept. */
  readonly keep: number;
  /** Most ended runs kept; the oldest go first. */
  readonly most: number;
}

export const defaultRunLogSettings: RunLogSettings = { grace: 5000, keep: 10 * 60_000, most: 500 };

export interface StartRun<Event> {
  readonly ownerId: string;
  /** Goes on to its end whoever reads; otherwise it ends when nobody has read for the grace time. */
  readonly isResumable: boolean;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
  /** The run's events; aborting the signal must end them. Failures are the producer's to turn into events. */
  produce(signal: AbortSignal): AsyncIterable<Event>;
}

/** Runs by id, so that a lost stream can be read on from where it broke (chances.md C5). */
export class RunLog<Event> {
  readonly #settings: RunLogSettings;
  readonly #runs = new Map<string, Run<Event>>();

  constructor(settings: RunLogSettings) {
    this.#settings = settings;
  }

  start({ ownerId, isResumable, stopping, produce }: StartRun<Event>): Run<Event> {
    this.#forgetOld();
    const grace = isResumable ? Number.POSITIVE_INFINITY : this.#settings.grace;
    const run = new Run<Event>({ id: randomUUID(), ownerId, grace, stopping, produce });
    this.#runs.set(run.id, run);
    return run;
  }

  /** Throws `not_found` for an unknown, forgotten or foreign run alike. */
  get(id: string, ownerId: string): Run<Event> {
    this.#forgetOld();
    const run = this.#runs.get(id);
    if (run === undefined || run.ownerId !== ownerId) {
      throw new ServiceError(
        'not_found',
        `No run ${id} is kept here. Events are kept for ${Math.round(this.#settings.keep / 60_000)} minutes after a run ends; its answer stands in the conversation.`,
      );
    }
    return run;
  }

  list(ownerId: string): readonly RunRecord[] {
    return [...this.#runs.values()].filter((run) => run.ownerId === ownerId).map((run) => run.record);
  }

  #forgetOld(): void {
    const ended = [...this.#runs.values()].filter((run) => run.endedAt !== undefined);
    const oldest = Date.now() - this.#settings.keep;
    for (const [index, run] of ended.entries()) {
      const isTooMany = ended.length - index > this.#settings.most;
      if (isTooMany || (run.endedAt ?? Number.POSITIVE_INFINITY) < oldest) this.#runs.delete(run.id);
    }
  }
}
