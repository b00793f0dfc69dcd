import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { onAbort } from '../shared/abort.ts';
import { Condition } from '../shared/condition.ts';

/** An event, encoded once for all readers. */
export interface RunEvent {
  readonly event: string;
  /** One line of JSON. */
  readonly json: string;
}

export interface NumberedEvent extends RunEvent {
  /** Sequence number from 1, without gaps. */
  readonly number: number;
}

export interface RunRecord {
  readonly id: string;
  readonly kind: string;
  readonly conversationId: string | null;
  /** `cancelled` includes runs ended for lack of readers; `failed` means that the last event is an error. */
  readonly status: 'running' | 'ended' | 'failed' | 'cancelled';
  readonly events: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export interface RunParts {
  readonly id: string;
  readonly ownerId: string;
  /** Kind of run, shown in lists. */
  readonly kind: string;
  readonly conversationId: string | null;
  /** Milliseconds without a reader before the run is cancelled; 0 cancels at once, Infinity never. */
  readonly graceMs: number;
  /** Produces the run's events; must stop when the signal is aborted. */
  produce(signal: AbortSignal): AsyncIterable<RunEvent>;
  /** The last event of a failed or cancelled run. */
  onFailure(thrown: unknown): RunEvent;
}

/**
 * Back-pressure: how far production may be ahead of the foremost reader. A resumable run without readers waits only when
 * its events become too large to keep.
 */
const MAX_AHEAD = { events: 256, characters: 1_000_000 };
const MAX_AHEAD_UNREAD = { events: Number.POSITIVE_INFINITY, characters: 8_000_000 };

/** Milliseconds that a resumable run waits for a reader when it has produced too much. */
const MAX_UNREAD_WAIT_MS = 10 * 60_000;

/** Milliseconds that `cancel` waits for the work to end. */
const CANCEL_TIMEOUT_MS = 2_000;

/**
 * One run: produces each event once and lets any number of readers follow from any event on. Events are kept until the
 * run is dropped, so a slow reader costs nothing; the foremost reader determines the back-pressure.
 */
export class Run {
  readonly id: string;
  readonly ownerId: string;
  /** Settles after the last event; never rejects. */
  readonly ended: Promise<void>;
  readonly #parts: RunParts;
  readonly #events: RunEvent[] = [];
  /** Cumulative number of characters up to each event. */
  readonly #sizes: number[] = [];
  readonly #readers = new Set<symbol>();
  /** Number of events read by the foremost reader, including readers that have left. */
  #foremost = 0;
  readonly #abort = new AbortController();
  readonly #startedAt = new Date();
  #status: RunRecord['status'] = 'running';
  #endedAt: Date | undefined;
  #size = 0;
  /** Error thrown before the first event. */
  #failedBeforeFirstEvent: { readonly thrown: unknown } | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  readonly #changed = new Condition();

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

  /** Total characters of all events. */
  get size(): number {
    return this.#size;
  }

  /** Whether the run failed before its first event; there is nothing to resume then. */
  get failedBeforeFirstEvent(): boolean {
    return this.#failedBeforeFirstEvent !== undefined;
  }

  /**
   * Aborts the work and settles when the last event, with the reason, has been produced, or after a timeout. No effect on
   * an ended run.
   */
  async cancel(reason = new ServiceError('cancelled', 'The run was cancelled.')): Promise<void> {
    if (this.#status === 'running') this.#abort.abort(reason);
    await Promise.race([this.ended, sleep(CANCEL_TIMEOUT_MS, undefined, { ref: false })]);
  }

  /**
   * Yields the events after number `after` as they arrive until the run ends. Throws the run's error if it failed before
   * its first event, and the signal's reason on abort.
   */
  async *follow(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent, void> {
    if (after > this.#events.length) {
      const message = `The run ${this.id} has ${this.#events.length} events; ${after} is none of them.`;
      throw new ServiceError('invalid_request', message);
    }
    const reader = Symbol(this.id);
    const stopListening = onAbort(signal, () => this.#tell());
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
          await this.#changed.next;
        } else {
          if (this.#failedBeforeFirstEvent !== undefined) throw this.#failedBeforeFirstEvent.thrown;
          return;
        }
      }
    } finally {
      stopListening();
      this.#leave(reader);
    }
  }

  async #produce(signal: AbortSignal): Promise<void> {
    onAbort(signal, () => this.#tell());
    try {
      for await (const event of this.#parts.produce(signal)) {
        this.#add(event);
        await this.#keepPace(signal);
      }
      this.#status = 'ended';
    } catch (thrown) {
      this.#status = signal.aborted ? 'cancelled' : 'failed';
      // An aborted producer may throw anything; readers get the reason of the abort.
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
    const isWaited = Number.isFinite(this.#parts.graceMs);
    while (this.#isFarAhead() && !signal.aborted) {
      if (!isWaited && this.#readers.size === 0) this.#endWithin(MAX_UNREAD_WAIT_MS);
      await this.#changed.next;
    }
  }

  #isFarAhead(): boolean {
    const isRead = this.#readers.size > 0 || Number.isFinite(this.#parts.graceMs);
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
    const { graceMs } = this.#parts;
    if (this.#readers.size > 0 || this.#status !== 'running' || !Number.isFinite(graceMs)) return;
    this.#endWithin(graceMs);
  }

  #endWithin(milliseconds: number): void {
    const end = () => this.#abort.abort(new ServiceError('cancelled', 'Its reader left and did not come back.'));
    clearTimeout(this.#graceTimer);
    if (milliseconds === 0) end();
    else this.#graceTimer = setTimeout(end, milliseconds).unref();
  }

  #tell(): void {
    this.#changed.notify();
  }
}
