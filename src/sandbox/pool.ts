import { ServiceError } from '../errors.ts';
import { onAbort } from '../shared/abort.ts';
import { LruMap } from '../shared/lru-map.ts';
import type { SandboxOccupancy } from './sandbox.ts';

/** What the pool requires of a slot. */
export interface PooledSlot {
  end(): void;
  readonly ended: Promise<void>;
}

export interface PoolOptions<S extends PooledSlot> {
  start(): Promise<S>;
  /** A spare slot started with another value is out of date and not used. */
  version?(): number;
  readonly slots: number;
  readonly queued: number;
  readonly queuedMilliseconds: number;
  readonly idleMilliseconds: number;
}

/** A slot for the duration of one call. */
export interface Lease<S extends PooledSlot> {
  readonly slot: S;
  /** True if the slot has not served this session before. */
  readonly isNew: boolean;
  /** True if the session had a slot before that has ended. */
  readonly sessionLost: boolean;
  /** False once the session has been reset by another call, which has a slot of its own. */
  isCurrent(): boolean;
  /** Must be called once. A session keeps its slot if it is still usable; other slots are ended. */
  release(isUsable: boolean): void;
}

export interface LeaseRequest {
  readonly session?: string;
  /** Starts the session in a new slot, even while a call of it is running. */
  readonly reset?: boolean;
  /** Slots are shared evenly among users. */
  readonly user?: string;
}

interface Session<S extends PooledSlot> {
  readonly slot: Promise<S>;
  readonly user: string;
  isBusy: boolean;
  usedAt: number;
  /** False until a call has been given the slot. */
  hasServed: boolean;
}

/** A slot reserved for a call; it may still be starting. */
interface Taken<S extends PooledSlot> extends Omit<Lease<S>, 'slot'> {
  readonly slot: Promise<S>;
  /** Called when the slot has started and is handed to the call. */
  begin(): void;
}

interface Waiting<S extends PooledSlot> {
  readonly request: LeaseRequest;
  /** True after the call was served or gave up. */
  isOver: boolean;
  give(taken: Taken<S>): void;
  refuse(reason: unknown): void;
}

/** Number of ended sessions that are remembered, to report their loss. */
const MAX_LOST_SESSIONS = 1_000;

/**
 * Pool of Python slots: started on demand, with one spare, up to `slots` in total. A slot serves one session or one call
 * and is never reused by another. When all are in use, the longest idle session of the user with the most slots is
 * evicted; if none is idle, calls wait in a bounded queue for a limited time, those of users with few slots first.
 */
export class SlotPool<S extends PooledSlot> {
  readonly #options: PoolOptions<S>;
  readonly #live = new Set<Promise<S>>();
  readonly #starting = new Set<Promise<S>>();
  readonly #sessions = new Map<string, Session<S>>();
  /** The user of each slot that is held by a session or a call. */
  readonly #holders = new Map<Promise<S>, string>();
  readonly #lost = new LruMap<string, true>({ max: MAX_LOST_SESSIONS });
  readonly #waiting: Waiting<S>[] = [];
  #spare: { readonly version: number | undefined; readonly slot: Promise<S>; readonly since: number } | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Calls that have a slot. */
  #busy = 0;

  constructor(options: PoolOptions<S>) {
    this.#options = options;
  }

  /**
   * Waits for a slot. Throws `rate_limited` when the queue is full or the wait is too long, the signal's reason on abort,
   * and errors of `start`.
   */
  async lease(request: LeaseRequest, signal: AbortSignal): Promise<Lease<S>> {
    signal.throwIfAborted();
    const taken = this.#take(request) ?? (await this.#wait(request, signal));
    const aborted = Promise.withResolvers<never>();
    const stopListening = onAbort(signal, () => aborted.reject(signal.reason));
    try {
      const slot = await Promise.race([taken.slot, aborted.promise]);
      signal.throwIfAborted();
      taken.begin();
      return { ...taken, slot };
    } catch (error) {
      // An abandoned call has not touched the session's slot.
      taken.release(signal.aborted);
      throw error;
    } finally {
      stopListening();
    }
  }

  /** Starts the spare slot before the first call. */
  warmUp(): void {
    if (this.#isClosed || this.#spare !== undefined || this.#live.size >= this.#options.slots) return;
    this.#spare = { version: this.#options.version?.(), slot: this.#start(), since: performance.now() };
    this.#sweep();
  }

  get occupancy(): SandboxOccupancy {
    const { slots } = this.#options;
    const waiting = this.#waiting.filter(({ isOver }) => !isOver).length;
    return { slots, busy: this.#busy, idle: Math.max(0, this.size - this.#busy), waiting };
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

  #take({ session, reset, user = '' }: LeaseRequest): Taken<S> | undefined {
    if (this.#isClosed) throw new ServiceError('cancelled', 'The sandbox is shutting down.');
    if (reset === true && session !== undefined) this.#forget(session);
    const kept = session === undefined ? undefined : this.#sessions.get(session);
    if (kept?.isBusy) return undefined;
    const slot = kept?.slot ?? this.#takeFresh(user);
    if (slot === undefined) return undefined;
    this.#holders.set(slot, user);
    this.#busy += 1;
    if (session === undefined) {
      const release = (): void => {
        this.#busy -= 1;
        this.#end(slot);
        this.#pump();
        if (this.#waiting.length === 0) this.warmUp();
      };
      return { slot, isNew: true, sessionLost: false, isCurrent: () => true, begin: () => {}, release };
    }
    const held = kept ?? { slot, user, isBusy: true, usedAt: 0, hasServed: false };
    held.isBusy = true;
    this.#sessions.set(session, held);
    const isCurrent = (): boolean => this.#sessions.get(session) === held;
    return {
      slot,
      isNew: !held.hasServed,
      sessionLost: this.#lost.has(session),
      isCurrent,
      begin: () => {
        held.hasServed = true;
        this.#lost.delete(session);
      },
      release: (isUsable) => {
        this.#busy -= 1;
        held.isBusy = false;
        held.usedAt = performance.now();
        if (!isCurrent()) this.#end(slot);
        else if (!isUsable) this.#lose(session, held);
        this.#sweep();
        this.#pump();
      },
    };
  }

  #takeFresh(user: string): Promise<S> | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    const isOutdated = spare !== undefined && spare.version !== this.#options.version?.();
    if (isOutdated) this.#end(spare.slot);
    const slot = (isOutdated ? undefined : spare?.slot) ?? this.#startWithinLimit(user);
    // Deferred, so that the call that was just given a slot runs first.
    setImmediate(() => this.warmUp());
    return slot;
  }

  #startWithinLimit(user: string): Promise<S> | undefined {
    if (this.#live.size < this.#options.slots) return this.#start();
    const share = (holder: string): number => this.#slotsOf(holder) + (holder === user ? 1 : 0);
    const [idle] = [...this.#sessions]
      .filter(([, { isBusy, slot }]) => !isBusy && !this.#starting.has(slot))
      .sort(([, a], [, b]) => share(b.user) - share(a.user) || a.usedAt - b.usedAt);
    if (idle === undefined) return undefined;
    this.#lose(...idle);
    return this.#start();
  }

  #slotsOf(user: string): number {
    return [...this.#holders.values()].filter((holder) => holder === user).length;
  }

  #start(): Promise<S> {
    const slot = this.#options.start();
    this.#live.add(slot);
    this.#starting.add(slot);
    slot.then(
      async ({ ended }) => {
        this.#starting.delete(slot);
        this.#pump();
        await ended;
        this.#gone(slot);
      },
      () => this.#gone(slot),
    );
    return slot;
  }

  #gone(slot: Promise<S>): void {
    this.#starting.delete(slot);
    this.#live.delete(slot);
    this.#holders.delete(slot);
    if (this.#spare?.slot === slot) this.#spare = undefined;
    for (const [name, session] of this.#sessions)
      if (session.slot === slot && !session.isBusy) this.#lose(name, session);
    this.#pump();
  }

  /** Stops counting the slot immediately, so that another can start; a slot still starting counts until it ends. */
  #end(slot: Promise<S>): void {
    if (!this.#starting.has(slot)) this.#live.delete(slot);
    this.#holders.delete(slot);
    slot.then(
      (started) => started.end(),
      () => undefined,
    );
  }

  #lose(name: string, session: Session<S>): void {
    if (this.#sessions.get(name) !== session) return;
    this.#sessions.delete(name);
    if (session.hasServed) this.#lost.set(name, true);
    this.#end(session.slot);
  }

  /** Ends a session at its caller's request, which does not count as a loss. */
  #forget(name: string): void {
    const session = this.#sessions.get(name);
    if (session?.isBusy === false) this.#lose(name, session);
    // A running call finishes in its slot, which no longer belongs to the session.
    this.#sessions.delete(name);
    this.#lost.delete(name);
  }

  async #wait(request: LeaseRequest, signal: AbortSignal): Promise<Taken<S>> {
    const { queued, queuedMilliseconds } = this.#options;
    if (this.#waiting.length >= queued) this.#makeRoom(request.user);
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

  /** Refuses the latest call of the user with the most waiting calls, or throws if that user is the caller. */
  #makeRoom(user = ''): void {
    const { queued, slots } = this.#options;
    const reason = `All ${slots} Python slots are busy and ${queued} calls are waiting for one.`;
    const refusal = new ServiceError('rate_limited', reason, { retryAfter: 5 });
    const userOf = ({ request }: Waiting<S>): string => request.user ?? '';
    const countOf = (of: string): number => this.#waiting.filter((waiting) => userOf(waiting) === of).length;
    const crowding = this.#waiting.findLast((waiting) =>
      this.#waiting.every((other) => countOf(userOf(waiting)) >= countOf(userOf(other))),
    );
    if (crowding === undefined || countOf(userOf(crowding)) <= countOf(user) + 1) throw refusal;
    this.#waiting.splice(this.#waiting.indexOf(crowding), 1);
    crowding.isOver = true;
    crowding.refuse(refusal);
  }

  /**
   * Serves waiting calls: those of the user with the fewest slots first, otherwise in order of arrival. A call that
   * waits for its own session may be overtaken.
   */
  #pump(): void {
    for (let remaining = [...this.#waiting]; remaining.length > 0; ) {
      const waiting = remaining.reduce((first, other) =>
        this.#slotsOf(other.request.user ?? '') < this.#slotsOf(first.request.user ?? '') ? other : first,
      );
      remaining = remaining.filter((other) => other !== waiting);
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

  /** Starts the periodic check that ends idle sessions and an idle spare slot. */
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
