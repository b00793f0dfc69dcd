import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { onAbort, raceAbort } from '../shared/abort.ts';
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
  /** Milliseconds without a reader before the run is cancelled; 0 cancels immediately, Infinity never. */
  readonly graceMs: number;
  /** Produces the run's events; must stop when the signal is aborted. */
  produce(signal: AbortSignal): AsyncIterable<RunEvent>;
  /** The last event of a failed or cancelled run. */
  onFailure(thrown: unknown): RunEvent;
}

/** Persists a run's events before its readers receive them. */
export interface RunRecorder {
  /** Called after each event and after the end. */
  onProgress(): void;
}

/** A run as its readers see it, wherever the work is done. */
export interface ReadableRun {
  readonly id: string;
  readRecord(): Promise<RunRecord>;
  /**
   * Yields the events after number `after` as they arrive until the run ends. Throws the run's error if it failed
   * before its first event, `invalid_request` if `after` exceeds the number of events, or the reason of the abort.
   */
  follow(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent, void>;
  /**
   * Aborts the work and settles when the last event, with the reason, has been produced, or after a timeout. No effect
   * on an ended run.
   */
  cancel(): Promise<void>;
  /** Resolves at the end of the run, or when the signal aborts. */
  untilEnded(signal: AbortSignal): Promise<void>;
}

/**
 * Back-pressure: how far production may be ahead of the foremost reader. A resumable run without readers waits only
 * when its events become too large to keep.
 */
const MAX_AHEAD = { events: 256, characters: 1_000_000 };
const MAX_AHEAD_UNREAD = { events: Number.POSITIVE_INFINITY, characters: 8_000_000 };

/** Milliseconds that a resumable run waits for a reader when it has produced too much. */
const MAX_UNREAD_WAIT_MS = 10 * 60_000;

/** Milliseconds that `cancel` waits for the work to end. */
export const CANCEL_TIMEOUT_MS = 2_000;

/** Stands for all readers on other servers. */
const ELSEWHERE = Symbol('elsewhere');

export const noSuchEvent = (id: string, events: number, after: number): ServiceError =>
  new ServiceError('invalid_request', `The run ${id} has ${events} events; event ${after} does not exist.`);

/**
 * One run: produces each event once and lets any number of readers follow from any event on. Events are kept until the
 * run is dropped, so a slow reader costs nothing; the foremost reader determines the back-pressure.
 */
export class Run implements ReadableRun {
  readonly id: string;
  readonly ownerId: string;
  /** Settles after the last event; never rejects. */
  readonly ended: Promise<void>;
  readonly #parts: RunParts;
  readonly #recorder: RunRecorder | undefined;
  /** Number of events that the recorder has persisted; readers receive only these. */
  #recorded = 0;
  /** Why the run can no longer be read; set by `abandon`. */
  #abandoned: ServiceError | undefined;
  readonly #events: RunEvent[] = [];
  /** Cumulative number of characters up to each event. */
  readonly #sizes: number[] = [];
  readonly #readers = new Set<symbol>();
  /** `performance.now()` when the last reader left. */
  #readUntil = Number.NEGATIVE_INFINITY;
  /** Number of events read by the foremost reader, including readers that have left. */
  #furthestRead = 0;
  readonly #abort = new AbortController();
  readonly #startedAt = new Date();
  #status: RunRecord['status'] = 'running';
  #endedAt: Date | undefined;
  #size = 0;
  /** Error thrown before the first event. */
  #failedBeforeFirstEvent: { readonly thrown: unknown } | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  readonly #changed = new Condition();

  constructor(parts: RunParts, recorder?: RunRecorder) {
    this.#recorder = recorder;
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

  async readRecord(): Promise<RunRecord> {
    return this.record;
  }

  /** Events after a number, including those not yet persisted. */
  eventsAfter(number: number): readonly RunEvent[] {
    return this.#events.slice(number);
  }

  /** Lets readers receive the events up to this number. */
  recorded(number: number): void {
    this.#recorded = number;
    this.#notifyReaders();
  }

  /** Notes how many events the foremost reader on other servers has taken; undefined if there is no such reader. */
  readElsewhere(taken: number | undefined): void {
    if (taken !== undefined) this.#addReader(ELSEWHERE, taken);
    else if (this.#readers.has(ELSEWHERE)) this.#removeReader(ELSEWHERE);
  }

  /** Whether the run is in progress and has a reader on any server, or had one within this time. */
  isAwaited(withinMs: number): boolean {
    return !this.hasEnded && (this.#readers.size > 0 || performance.now() - this.#readUntil < withinMs);
  }

  /** Ends the work and fails its readers, because its events can no longer be persisted. */
  abandon(reason: ServiceError): void {
    this.#abandoned = reason;
    this.#abort.abort(reason);
    this.#notifyReaders();
  }

  /** Total characters of all events. */
  get size(): number {
    return this.#size;
  }

  get hasEnded(): boolean {
    return this.#endedAt !== undefined;
  }

  /** Whether the run failed before its first event; there is nothing to resume then. */
  get failedBeforeFirstEvent(): boolean {
    return this.#failedBeforeFirstEvent !== undefined;
  }

  async cancel(reason = new ServiceError('cancelled', 'The run was cancelled.')): Promise<void> {
    if (this.#status === 'running') this.#abort.abort(reason);
    await Promise.race([this.ended, sleep(CANCEL_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async untilEnded(signal: AbortSignal): Promise<void> {
    await raceAbort(this.ended, signal).catch(() => {});
  }

  async *follow(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent, void> {
    if (after > this.#events.length) throw noSuchEvent(this.id, this.#events.length, after);
    const reader = Symbol(this.id);
    const stopListening = onAbort(signal, () => this.#notifyReaders());
    this.#addReader(reader, after);
    try {
      for (let taken = after; ; ) {
        signal.throwIfAborted();
        if (this.#abandoned !== undefined) throw this.#abandoned;
        const next = taken < this.#readable ? this.#events[taken] : undefined;
        if (next !== undefined) {
          taken++;
          yield { number: taken, ...next };
          this.#furthestRead = Math.max(this.#furthestRead, taken);
          this.#notifyReaders();
        } else if (this.#endedAt === undefined || taken < this.#events.length) {
          await this.#changed.next;
        } else {
          if (this.#failedBeforeFirstEvent !== undefined) throw this.#failedBeforeFirstEvent.thrown;
          return;
        }
      }
    } finally {
      stopListening();
      this.#removeReader(reader);
    }
  }

  async #produce(signal: AbortSignal): Promise<void> {
    onAbort(signal, () => this.#notifyReaders());
    try {
      for await (const event of this.#parts.produce(signal)) {
        this.#add(event);
        await this.#waitForReaders(signal);
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
    this.#notifyReaders();
    this.#recorder?.onProgress();
  }

  get #readable(): number {
    return this.#recorder === undefined ? this.#events.length : this.#recorded;
  }

  #add(event: RunEvent): void {
    this.#events.push(event);
    this.#size += event.json.length;
    this.#sizes.push(this.#size);
    this.#notifyReaders();
    this.#recorder?.onProgress();
  }

  async #waitForReaders(signal: AbortSignal): Promise<void> {
    const mayBeRead = Number.isFinite(this.#parts.graceMs);
    while (this.#isFarAhead() && !signal.aborted) {
      if (!mayBeRead && this.#readers.size === 0) this.#endWithin(MAX_UNREAD_WAIT_MS);
      await this.#changed.next;
    }
  }

  #isFarAhead(): boolean {
    const isRead = this.#readers.size > 0 || Number.isFinite(this.#parts.graceMs);
    const max = isRead ? MAX_AHEAD : MAX_AHEAD_UNREAD;
    const taken = this.#sizes[this.#furthestRead - 1] ?? 0;
    return this.#events.length - this.#furthestRead > max.events || this.#size - taken > max.characters;
  }

  #addReader(reader: symbol, taken: number): void {
    clearTimeout(this.#graceTimer);
    this.#readers.add(reader);
    this.#furthestRead = Math.max(this.#furthestRead, taken);
    this.#notifyReaders();
  }

  #removeReader(reader: symbol): void {
    this.#readers.delete(reader);
    this.#readUntil = performance.now();
    this.#notifyReaders();
    const { graceMs } = this.#parts;
    if (this.#readers.size > 0 || this.#status !== 'running' || !Number.isFinite(graceMs)) return;
    this.#endWithin(graceMs);
  }

  #endWithin(milliseconds: number): void {
    const end = () =>
      this.#abort.abort(
        new ServiceError('cancelled', 'The run was cancelled because its client disconnected and did not reconnect.'),
      );
    clearTimeout(this.#graceTimer);
    if (milliseconds === 0) end();
    else this.#graceTimer = setTimeout(end, milliseconds).unref();
  }

  #notifyReaders(): void {
    this.#changed.notify();
  }
}
