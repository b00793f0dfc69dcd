import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';

/** An event as it is kept: encoded once, for whoever reads it and however often. */
export interface RunEvent {
  readonly event: string;
  /** One line of JSON. */
  readonly json: string;
}

export interface NumberedEvent extends RunEvent {
  /** From 1, without gaps. */
  readonly number: number;
}

export interface RunRecord {
  readonly id: string;
  readonly kind: string;
  readonly conversationId: string | null;
  /** `cancelled` also when nobody came back to read it; `failed` when its last event tells of an error. */
  readonly status: 'running' | 'ended' | 'failed' | 'cancelled';
  readonly events: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export interface RunParts {
  readonly id: string;
  readonly ownerId: string;
  /** What is running, for people who look at a list. */
  readonly kind: string;
  readonly conversationId: string | null;
  /** Milliseconds without a reader before the run is ended; 0 ends it at once, Infinity never. */
  readonly grace: number;
  /** The run's events; aborting the signal must end them. */
  produce(signal: AbortSignal): AsyncIterable<RunEvent>;
  /** The last event of a run that fails or is cancelled. */
  onFailure(thrown: unknown): RunEvent;
}

/**
 * How far a run may be ahead of the foremost reader it ever had: beyond, it waits for readers, so that nothing is made
 * for nobody. One that goes on without readers waits only when what it has made becomes too large to keep.
 */
const MAX_AHEAD = { events: 256, characters: 1_000_000 };
const MAX_AHEAD_UNREAD = { events: Number.POSITIVE_INFINITY, characters: 8_000_000 };

/** Milliseconds a run that goes on without readers waits for one when it has made too much. */
const MAX_WAIT = 10 * 60_000;

/** Milliseconds that work gets to end when it is cancelled, before nobody waits for it any more. */
const PATIENCE = 2_000;

/**
 * One run: makes its events once, and lets any number of readers follow from any event on. All events are kept until
 * the run is forgotten, so a reader that lags behind another costs nothing; the foremost one sets the pace.
 */
export class Run {
  readonly id: string;
  readonly ownerId: string;
  /** Settles when the last event has been made; never rejects. */
  readonly ended: Promise<void>;
  readonly #parts: RunParts;
  readonly #events: RunEvent[] = [];
  /** Characters of all events up to each. */
  readonly #sizes: number[] = [];
  readonly #readers = new Set<symbol>();
  /** How many events the foremost reader took, also after it left. */
  #foremost = 0;
  readonly #abort = new AbortController();
  readonly #startedAt = new Date();
  #status: RunRecord['status'] = 'running';
  #endedAt: Date | undefined;
  #size = 0;
  /** What was thrown before there was any event to follow it. */
  #failedBeforeFirstEvent: { readonly thrown: unknown } | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(parts: RunParts) {
    this.id = parts.id;
    this.ownerId = parts.ownerId;
    this.#parts = parts;
    this.ended = this.#produce(this.#abort.signal);
  }

  get record(): RunRecord {
    const { id, kind, conversationId } = this.#parts;
    return {
      id,
      kind,
      conversationId,
      status: this.#status === 'running' && this.#abort.signal.aborted ? 'cancelled' : this.#status,
      events: this.#events.length,
      startedAt: this.#startedAt,
      endedAt: this.#endedAt ?? null,
    };
  }

  /** Characters of all events. */
  get size(): number {
    return this.#size;
  }

  /** Whether it failed before its first event: there is nothing to read again. */
  get failedBeforeFirstEvent(): boolean {
    return this.#failedBeforeFirstEvent !== undefined;
  }

  /**
   * Ends the work at once, and settles when its last event, which tells the reason, is there; or after a while, should
   * the work not listen. Does nothing to an ended run.
   */
  async cancel(reason = new ServiceError('cancelled', 'The run was cancelled.')): Promise<void> {
    if (this.#status === 'running') this.#abort.abort(reason);
    await Promise.race([this.ended, sleep(PATIENCE, undefined, { ref: false })]);
  }

  /**
   * The events after number `after`, as they come, until the run ends. Throws what the run failed with when that was
   * before its first event, and the signal's reason when it aborts.
   */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent, void> {
    if (after > this.#events.length) {
      const message = `The run ${this.id} has ${this.#events.length} events; ${after} is none of them.`;
      throw new ServiceError('invalid_request', message);
    }
    const reader = Symbol(this.id);
    const wake = () => this.#tell();
    signal.addEventListener('abort', wake, { once: true });
    this.#enter(reader, after);
    try {
      for (let taken = after; ; ) {
        signal.throwIfAborted();
        const next = this.#events[taken];
        if (next !== undefined) {
          taken++;
          yield { number: taken, ...next };
          this.#foremost = Math.max(this.#foremost, taken);
          this.#tell();
        } else if (this.#endedAt === undefined) {
          await this.#changed.promise;
        } else {
          if (this.#failedBeforeFirstEvent !== undefined) throw this.#failedBeforeFirstEvent.thrown;
          return;
        }
      }
    } finally {
      signal.removeEventListener('abort', wake);
      this.#leave(reader);
    }
  }

  async #produce(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#tell(), { once: true });
    try {
      for await (const event of this.#parts.produce(signal)) {
        this.#add(event);
        await this.#keepPace(signal);
      }
      this.#status = 'ended';
    } catch (thrown) {
      this.#status = signal.aborted ? 'cancelled' : 'failed';
      // What an aborted producer throws is its own affair; why it was aborted is what readers should know.
      if (signal.aborted) this.#add(this.#parts.onFailure(signal.reason));
      else if (this.#events.length > 0) this.#add(this.#parts.onFailure(thrown));
      else this.#failedBeforeFirstEvent = { thrown };
    }
    this.#endedAt = new Date();
    clearTimeout(this.#graceTimer);
    this.#tell();
  }

  #add(event: RunEvent): void {
    this.#events.push(event);
    this.#size += event.json.length;
    this.#sizes.push(this.#size);
    this.#tell();
  }

  async #keepPace(signal: AbortSignal): Promise<void> {
    const isWaited = Number.isFinite(this.#parts.grace);
    while (this.#isFarAhead() && !signal.aborted) {
      if (!isWaited && this.#readers.size === 0) this.#endWithin(MAX_WAIT);
      await this.#changed.promise;
    }
  }

  #isFarAhead(): boolean {
    const isRead = this.#readers.size > 0 || Number.isFinite(this.#parts.grace);
    const most = isRead ? MAX_AHEAD : MAX_AHEAD_UNREAD;
    const taken = this.#sizes[this.#foremost - 1] ?? 0;
    return this.#events.length - this.#foremost > most.events || this.#size - taken > most.characters;
  }

  #enter(reader: symbol, taken: number): void {
    clearTimeout(this.#graceTimer);
    this.#readers.add(reader);
    this.#foremost = Math.max(this.#foremost, taken);
    this.#tell();
  }

  #leave(reader: symbol): void {
    this.#readers.delete(reader);
    this.#tell();
    const { grace } = this.#parts;
    if (this.#readers.size > 0 || this.#status !== 'running' || !Number.isFinite(grace)) return;
    this.#endWithin(grace);
  }

  #endWithin(milliseconds: number): void {
    const end = () => this.#abort.abort(new ServiceError('cancelled', 'Its reader left and did not come back.'));
    clearTimeout(this.#graceTimer);
    if (milliseconds === 0) end();
    else this.#graceTimer = setTimeout(end, milliseconds).unref();
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
