import { ServiceError } from '../errors.ts';
import { onAbort } from '../shared/abort.ts';
import { LruMap } from '../shared/lru-map.ts';
import type { SandboxOccupancy } from './sandbox.ts';
import type { StartingSlot } from './slot.ts';
import { WaitingCalls, type WaitingLimits } from './waiting-calls.ts';

/** What the pool requires of a slot. */
export interface PooledSlot {
  end(): void;
  readonly ended: Promise<void>;
}

export interface PoolOptions<S extends PooledSlot> extends WaitingLimits {
  start(starting: StartingSlot): Promise<S>;
  /** A spare slot started with another value is out of date and not used. */
  version?(): number;
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

/** A slot started in advance. */
interface Spare<S extends PooledSlot> {
  readonly version: number | undefined;
  readonly slot: Promise<S>;
  readonly starting: { isAwaited: boolean };
  readonly since: number;
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
  readonly #waiting: WaitingCalls<LeaseRequest, Taken<S>>;
  #spare: Spare<S> | undefined;
  #sweeper: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Calls that have a slot. */
  #busy = 0;

  constructor(options: PoolOptions<S>) {
    this.#options = options;
    this.#waiting = new WaitingCalls(options);
  }

  /**
   * Waits for a slot. Throws `rate_limited` when the queue is full or the wait is too long, the signal's reason on abort,
   * and errors of `start`.
   */
  async lease(request: LeaseRequest, signal: AbortSignal): Promise<Lease<S>> {
    signal.throwIfAborted();
    const taken = this.#take(request) ?? (await this.#waiting.wait(request, signal));
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
    const starting = { isAwaited: false };
    const slot = this.#start(starting);
    this.#spare = { version: this.#options.version?.(), slot, starting, since: performance.now() };
    this.#sweep();
  }

  get occupancy(): SandboxOccupancy {
    const { slots } = this.#options;
    return { slots, busy: this.#busy, idle: Math.max(0, this.size - this.#busy), waiting: this.#waiting.count };
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
        if (this.#waiting.isEmpty) this.warmUp();
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
        else if (!isUsable) this.#recordLoss(session, held);
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
    else if (spare !== undefined) spare.starting.isAwaited = true;
    const slot = (isOutdated ? undefined : spare?.slot) ?? this.#startWithinLimit(user);
    // Deferred, so that the call that was just given a slot runs first.
    setImmediate(() => this.warmUp());
    return slot;
  }

  #startWithinLimit(user: string): Promise<S> | undefined {
    if (this.#live.size < this.#options.slots) return this.#start({ isAwaited: true });
    const share = (holder: string): number => this.#slotsOf(holder) + (holder === user ? 1 : 0);
    const [idle] = [...this.#sessions]
      .filter(([, { isBusy, slot }]) => !isBusy && !this.#starting.has(slot))
      .sort(([, a], [, b]) => share(b.user) - share(a.user) || a.usedAt - b.usedAt);
    if (idle === undefined) return undefined;
    this.#recordLoss(...idle);
    return this.#start({ isAwaited: true });
  }

  #slotsOf(user: string): number {
    return [...this.#holders.values()].filter((holder) => holder === user).length;
  }

  #start(starting: StartingSlot): Promise<S> {
    const slot = this.#options.start(starting);
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
      if (session.slot === slot && !session.isBusy) this.#recordLoss(name, session);
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

  #recordLoss(name: string, session: Session<S>): void {
    if (this.#sessions.get(name) !== session) return;
    this.#sessions.delete(name);
    if (session.hasServed) this.#lost.set(name, true);
    this.#end(session.slot);
  }

  /** Ends a session at its caller's request, which does not count as a loss. */
  #forget(name: string): void {
    const session = this.#sessions.get(name);
    if (session?.isBusy === false) this.#recordLoss(name, session);
    // A running call finishes in its slot, which no longer belongs to the session.
    this.#sessions.delete(name);
    this.#lost.delete(name);
  }

  /** Serves waiting calls, as far as slots are free. */
  #pump(): void {
    this.#waiting.serve(
      (request) => this.#take(request),
      (user) => this.#slotsOf(user),
    );
  }

  /** Starts the periodic check that ends idle sessions and an idle spare slot. */
  #sweep(): void {
    const { idleMilliseconds } = this.#options;
    this.#sweeper ??= setInterval(
      () => {
        const before = performance.now() - idleMilliseconds;
        for (const [name, session] of this.#sessions) {
          if (!session.isBusy && session.usedAt < before) this.#recordLoss(name, session);
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
