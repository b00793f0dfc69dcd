import { ServiceError } from '../errors.ts';
import { onAbort } from '../shared/abort.ts';
import { LruMap } from '../shared/lru-map.ts';

/** What the pool requires of a slot. */
export interface PooledSlot {
  end(): void;
  readonly ended: Promise<void>;
}

export interface PoolOptions<S extends PooledSlot> {
  start(): Promise<S>;
  readonly slots: number;
  readonly queued: number;
  readonly queuedMilliseconds: number;
  readonly idleMilliseconds: number;
}

/** A slot for the duration of one call. */
export interface Lease<S extends PooledSlot> {
  readonly slot: S;
  /** True if the session had a slot before that has ended. */
  readonly sessionLost: boolean;
  /** Must be called once. A session keeps its slot if it is still usable; other slots are ended. */
  release(isUsable: boolean): void;
}

export interface LeaseRequest {
  readonly session?: string;
  readonly reset?: boolean;
}

interface Session<S extends PooledSlot> {
  readonly slot: Promise<S>;
  isBusy: boolean;
  usedAt: number;
}

/** A slot reserved for a call. */
interface Taken<S extends PooledSlot> {
  readonly slot: Promise<S>;
  readonly sessionLost: boolean;
  release(isUsable: boolean): void;
}

interface Waiting<S extends PooledSlot> {
  readonly request: LeaseRequest;
  /** True when it has been served or has given up. */
  isOver: boolean;
  give(taken: Taken<S>): void;
  refuse(reason: unknown): void;
}

/** Number of ended sessions that are remembered, to report their loss. */
const MAX_LOST_SESSIONS = 1_000;

/**
 * Pool of Python slots: started on demand, with one spare, up to `slots` in total. A slot serves one session or one call
 * and is never reused by another. When all are in use, the session that has been idle longest is evicted; if none is
 * idle, calls wait in a bounded queue for a limited time.
 */
export class SlotPool<S extends PooledSlot> {
  readonly #options: PoolOptions<S>;
  readonly #live = new Set<Promise<S>>();
  readonly #sessions = new Map<string, Session<S>>();
  readonly #lost = new LruMap<string, true>({ max: MAX_LOST_SESSIONS });
  readonly #waiting: Waiting<S>[] = [];
  #spare: { readonly slot: Promise<S>; readonly since: number } | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PoolOptions<S>) {
    this.#options = options;
  }

  /**
   * Waits for a slot. Throws `rate_limited` when the queue is full or the wait is too long, the signal's reason on abort,
   * and errors of `start`.
   */
  async lease(request: LeaseRequest, signal: AbortSignal): Promise<Lease<S>> {
    signal.throwIfAborted();
    if (request.reset === true && request.session !== undefined) this.#forget(request.session);
    const taken = this.#take(request) ?? (await this.#wait(request, signal));
    try {
      const slot = await taken.slot;
      signal.throwIfAborted();
      return { slot, sessionLost: taken.sessionLost, release: taken.release };
    } catch (error) {
      taken.release(false);
      throw error;
    }
  }

  /** Starts the spare slot before the first call. */
  warmUp(): void {
    if (this.#isClosed || this.#spare !== undefined || this.#live.size >= this.#options.slots) return;
    this.#spare = { slot: this.#start(), since: performance.now() };
    this.#sweep();
  }

  /** Number of processes, including starting ones. */
  get size(): number {
    return this.#live.size;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    const ended = [...this.#live].map(async (starting) => {
      const slot = await starting.catch(() => undefined);
      slot?.end();
      await slot?.ended;
    });
    this.#pump();
    await Promise.all(ended);
  }

  #take({ session }: LeaseRequest): Taken<S> | undefined {
    if (this.#isClosed) throw new ServiceError('cancelled', 'The sandbox is shutting down.');
    const kept = session === undefined ? undefined : this.#sessions.get(session);
    if (kept?.isBusy) return undefined;
    const slot = kept?.slot ?? this.#takeFresh();
    if (slot === undefined) return undefined;
    if (session === undefined) {
      const release = (): void => {
        this.#end(slot);
        this.#pump();
        if (this.#waiting.length === 0) this.warmUp();
      };
      return { slot, sessionLost: false, release };
    }
    const held = kept ?? { slot, isBusy: true, usedAt: 0 };
    held.isBusy = true;
    this.#sessions.set(session, held);
    const sessionLost = this.#lost.delete(session);
    return {
      slot,
      sessionLost,
      release: (isUsable) => {
        held.isBusy = false;
        held.usedAt = performance.now();
        if (!isUsable) this.#lose(session, held);
        this.#sweep();
        this.#pump();
      },
    };
  }

  #takeFresh(): Promise<S> | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    const slot = spare?.slot ?? this.#startWithinLimit();
    // Deferred, so that the call that was just given a slot runs first.
    setImmediate(() => this.warmUp());
    return slot;
  }

  #startWithinLimit(): Promise<S> | undefined {
    if (this.#live.size < this.#options.slots) return this.#start();
    const [idle] = [...this.#sessions].filter(([, { isBusy }]) => !isBusy).sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (idle === undefined) return undefined;
    this.#lose(...idle);
    return this.#start();
  }

  #start(): Promise<S> {
    const slot = this.#options.start();
    this.#live.add(slot);
    slot.then(
      async ({ ended }) => {
        await ended;
        this.#gone(slot);
      },
      () => this.#gone(slot),
    );
    return slot;
  }

  #gone(slot: Promise<S>): void {
    this.#live.delete(slot);
    if (this.#spare?.slot === slot) this.#spare = undefined;
    for (const [name, session] of this.#sessions)
      if (session.slot === slot && !session.isBusy) this.#lose(name, session);
    this.#pump();
  }

  /** Removes it from the count at once, so that the next one can start while this one is still ending. */
  #end(slot: Promise<S>): void {
    this.#live.delete(slot);
    slot.then(
      (started) => started.end(),
      () => undefined,
    );
  }

  #lose(name: string, session: Session<S>): void {
    if (this.#sessions.get(name) !== session) return;
    this.#sessions.delete(name);
    this.#lost.set(name, true);
    this.#end(session.slot);
  }

  /** Ends a session at its caller's request, which does not count as a loss. */
  #forget(name: string): void {
    const session = this.#sessions.get(name);
    // A running call of the session finishes; the next one starts a new session.
    if (session?.isBusy === false) this.#lose(name, session);
    this.#lost.delete(name);
  }

  async #wait(request: LeaseRequest, signal: AbortSignal): Promise<Taken<S>> {
    const { queued, queuedMilliseconds, slots } = this.#options;
    if (this.#waiting.length >= queued) {
      const reason = `All ${slots} Python slots are busy and ${queued} calls are waiting for one.`;
      throw new ServiceError('rate_limited', reason, { retryAfter: 5 });
    }
    const { promise, resolve, reject } = Promise.withResolvers<Taken<S>>();
    const waiting: Waiting<S> = { request, isOver: false, give: resolve, refuse: reject };
    this.#waiting.push(waiting);
    const stop = (reason: unknown): void => {
      waiting.isOver = true;
      reject(reason);
    };
    const stopListening = onAbort(signal, () => stop(signal.reason));
    const seconds = queuedMilliseconds / 1000;
    const late = new ServiceError('rate_limited', `No Python slot became free within ${seconds} s.`, { retryAfter: 5 });
    const timer = setTimeout(() => stop(late), queuedMilliseconds);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      stopListening();
      const index = this.#waiting.indexOf(waiting);
      if (index !== -1) this.#waiting.splice(index, 1);
    }
  }

  /** Serves waiting calls in order; a call may be overtaken if it waits for its own session. */
  #pump(): void {
    for (const waiting of [...this.#waiting]) {
      if (waiting.isOver) continue;
      try {
        const taken = this.#take(waiting.request);
        if (taken === undefined) continue;
        waiting.give(taken);
      } catch (error) {
        waiting.refuse(error);
      }
      waiting.isOver = true;
    }
  }

  /** Ends idle sessions and the idle spare slot periodically, as long as there are any. */
  #sweep(): void {
    const { idleMilliseconds } = this.#options;
    this.#sweeper ??= setInterval(
      () => {
        const before = performance.now() - idleMilliseconds;
        for (const [name, session] of this.#sessions) {
          if (!session.isBusy && session.usedAt < before) this.#lose(name, session);
        }
        if (this.#spare !== undefined && this.#spare.since < before) {
          const { slot } = this.#spare;
          this.#spare = undefined;
          this.#end(slot);
        }
      },
      Math.max(10, idleMilliseconds / 4),
    ).unref();
  }
}
