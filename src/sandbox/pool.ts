import { ServiceError } from '../errors.ts';
import { LruMap } from '../shared/lru-map.ts';

/** What the pool has to know of a slot. */
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

/** A slot for the time of one call. */
export interface Lease<S extends PooledSlot> {
  readonly slot: S;
  /** True when the session had a slot before, and that slot is gone. */
  readonly sessionLost: boolean;
  /** Must be called in the end. A session keeps its slot, if that is still of use; any other slot is ended. */
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

/** A slot that is promised to a call. */
interface Taken<S extends PooledSlot> {
  readonly slot: Promise<S>;
  readonly sessionLost: boolean;
  release(isUsable: boolean): void;
}

interface Waiting<S extends PooledSlot> {
  readonly request: LeaseRequest;
  /** True once it has what it waits for, or does not wait any more. */
  isOver: boolean;
  give(taken: Taken<S>): void;
  refuse(reason: unknown): void;
}

/** Sessions that ended are remembered, to be able to say so; this many of them. */
const MAX_LOST_SESSIONS = 1_000;

/**
 * Slots for calls: started when they are first needed, one of them ahead of its call, never more than `slots`. A slot
 * serves one session or one call and nobody after it. When all are taken, the session that was idle the longest gives
 * way; when none is idle, calls wait in order, so many and so long.
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
   * Waits for a slot. Throws `rate_limited` when too many wait already or the wait is too long, the signal's reason
   * when it is aborted, and what `start` throws.
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

  /** Starts the spare slot, so that the first call need not wait for it. */
  warmUp(): void {
    if (this.#isClosed || this.#spare !== undefined || this.#live.size >= this.#options.slots) return;
    this.#spare = { slot: this.#start(), since: performance.now() };
    this.#sweep();
  }

  /** How many processes there are, starting ones included. */
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
    // In its own time: the call that was just given a slot goes first.
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

  /** Counts as gone at once, so that the next can start while it still dies. */
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

  /** Ends a session because its caller wants a new one, which is no loss. */
  #forget(name: string): void {
    const session = this.#sessions.get(name);
    // A call of the session that still runs is let finish; the next begins where it ends.
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
    const abort = () => stop(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const seconds = queuedMilliseconds / 1000;
    const late = new ServiceError('rate_limited', `No Python slot became free within ${seconds} s.`, { retryAfter: 5 });
    const timer = setTimeout(() => stop(late), queuedMilliseconds);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      const index = this.#waiting.indexOf(waiting);
      if (index !== -1) this.#waiting.splice(index, 1);
    }
  }

  /** Gives those that wait what there is now, in order; one may pass another that waits for its own session. */
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

  /** Looks now and then for what has been idle too long, for as long as there is anything. */
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
