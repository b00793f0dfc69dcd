import { ServiceError } from '../errors.ts';
import { onAbort } from '../shared/abort.ts';

export interface WaitingLimits {
  readonly slots: number;
  /** Number of calls that may wait. */
  readonly queued: number;
  readonly queuedMilliseconds: number;
}

interface Waiting<Request, Given> {
  readonly request: Request;
  /** True after the call was served or gave up. */
  isOver: boolean;
  give(given: Given): void;
  refuse(reason: unknown): void;
}

/** Calls that wait for a slot, for a limited time. When the queue is full, those of users with few calls stay. */
export class WaitingCalls<Request extends { readonly user?: string }, Given> {
  readonly #limits: WaitingLimits;
  readonly #waiting: Waiting<Request, Given>[] = [];

  constructor(limits: WaitingLimits) {
    this.#limits = limits;
  }

  /** True when no call waits and none is about to go on with what it was given. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Number of calls that wait. */
  get count(): number {
    return this.#waiting.filter(({ isOver }) => !isOver).length;
  }

  /** Throws `rate_limited` when the queue is full or the wait is too long, and the signal's reason on abort. */
  async wait(request: Request, signal: AbortSignal): Promise<Given> {
    const { queued, queuedMilliseconds } = this.#limits;
    if (this.#waiting.length >= queued) this.#makeRoom(request.user);
    const { promise, resolve, reject } = Promise.withResolvers<Given>();
    const waiting: Waiting<Request, Given> = { request, isOver: false, give: resolve, refuse: reject };
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

  /**
   * Gives each call what `take` finds for it, if anything: those of the user with the fewest slots first, otherwise in
   * order of arrival. A call that waits for its own session may be overtaken.
   */
  serve(take: (request: Request) => Given | undefined, slotsOf: (user: string) => number): void {
    for (let remaining = [...this.#waiting]; remaining.length > 0; ) {
      const waiting = remaining.reduce((first, other) =>
        slotsOf(userOf(other)) < slotsOf(userOf(first)) ? other : first,
      );
      remaining = remaining.filter((other) => other !== waiting);
      if (waiting.isOver) continue;
      try {
        const given = take(waiting.request);
        if (given === undefined) continue;
        waiting.give(given);
      } catch (error) {
        waiting.refuse(error);
      }
      waiting.isOver = true;
    }
  }

  /** Refuses the latest call of the user with the most waiting calls, or throws if that user is the caller. */
  #makeRoom(user = ''): void {
    const { queued, slots } = this.#limits;
    const reason = `All ${slots} Python slots are busy and ${queued} calls are waiting for one.`;
    const refusal = new ServiceError('rate_limited', reason, { retryAfter: 5 });
    const countOf = (of: string): number => this.#waiting.filter((waiting) => userOf(waiting) === of).length;
    const crowding = this.#waiting.findLast((waiting) =>
      this.#waiting.every((other) => countOf(userOf(waiting)) >= countOf(userOf(other))),
    );
    if (crowding === undefined || countOf(userOf(crowding)) <= countOf(user) + 1) throw refusal;
    this.#waiting.splice(this.#waiting.indexOf(crowding), 1);
    crowding.isOver = true;
    crowding.refuse(refusal);
  }
}

const userOf = ({ request }: { readonly request: { readonly user?: string } }): string => request.user ?? '';
