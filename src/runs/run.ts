import { ServiceError } from '../errors.ts';

export interface NumberedEvent<Event> {
  /** From 1, without gaps. */
  readonly number: number;
  readonly event: Event;
}

export interface RunRecord {
  readonly id: string;
  readonly status: 'running' | 'ended' | 'cancelled';
  readonly events: number;
}

interface RunParts<Event> {
  readonly id: string;
  readonly ownerId: string;
  /** Milliseconds without a reader before the run is ended. */
  readonly grace: number;
  readonly stopping: AbortSignal;
  produce(signal: AbortSignal): AsyncIterable<Event>;
}

/** Events a run may be ahead of its slowest reader: the producer waits for readers, so that memory does not grow. */
const MOST_AHEAD = 256;

/** One run: produces its events once, and lets any number of readers follow from any event on. */
export class Run<Event> {
  readonly id: string;
  readonly ownerId: string;
  readonly #events: Event[] = [];
  readonly #readers = new Map<symbol, number>();
  readonly #abort = new AbortController();
  readonly #grace: number;
  #graceTimer: NodeJS.Timeout | undefined;
  #changed = Promise.withResolvers<void>();
  #endedAt: number | undefined;

  constructor({ id, ownerId, grace, stopping, produce }: RunParts<Event>) {
    this.id = id;
    this.ownerId = ownerId;
    this.#grace = grace;
    void this.#produce(produce, AbortSignal.any([this.#abort.signal, stopping]));
  }

  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  get record(): RunRecord {
    const status = this.#endedAt === undefined ? 'running' : this.#abort.signal.aborted ? 'cancelled' : 'ended';
    return { id: this.id, status, events: this.#events.length };
  }

  cancel(): void {
    if (this.#endedAt === undefined) this.#abort.abort(new ServiceError('cancelled', 'The run was cancelled.'));
  }

  /** The events after `number`, as they come, until the run ends. */
  async *follow(number: number, signal: AbortSignal): AsyncGenerator<NumberedEvent<Event>, void> {
    if (number > this.#events.length) {
      throw new ServiceError(
        'invalid_request',
        `This run has only ${this.#events.length} events; ${number} is none of them.`,
      );
    }
    const reader = Symbol(this.id);
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
    const onAbort = () => leave();
    signal.addEventListener('abort', onAbort, { once: true });
    this.#enter(reader, number);
    try {
      for (let at = number; ; ) {
        signal.throwIfAborted();
        const event = this.#events[at];
        if (event !== undefined) {
          at++;
          yield { number: at, event };
          this.#readers.set(reader, at);
          this.#tell();
        } else if (this.#endedAt !== undefined) return;
        else await Promise.race([this.#changed.promise, gone]);
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#leave(reader);
    }
  }

  async #produce(produce: RunParts<Event>['produce'], signal: AbortSignal): Promise<void> {
    const tell = () => this.#tell();
    signal.addEventListener('abort', tell, { once: true });
    try {
      for await (const event of produce(signal)) {
        this.#events.push(event);
        this.#tell();
        while (this.#isFarAhead() && !signal.aborted) await this.#changed.promise;
      }
    } catch {
      // The producer turns failures into events; what is thrown past that has nobody left to tell.
    } finally {
      signal.removeEventListener('abort', tell);
      this.#endedAt = Date.now();
      clearTimeout(this.#graceTimer);
      this.#tell();
    }
  }

  #isFarAhead(): boolean {
    return this.#readers.size > 0 && this.#events.length - Math.max(...this.#readers.values()) > MOST_AHEAD;
  }

  #enter(reader: symbol, at: number): void {
    clearTimeout(this.#graceTimer);
    this.#readers.set(reader, at);
  }

  #leave(reader: symbol): void {
    this.#readers.delete(reader);
    this.#tell();
    if (this.#readers.size > 0 || this.#endedAt !== undefined || !Number.isFinite(this.#grace)) return;
    const end = () => this.#abort.abort(new ServiceError('cancelled', 'The caller has left.'));
    if (this.#grace === 0) {
      end();
      return;
    }
    this.#graceTimer = setTimeout(end, this.#grace).unref();
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
