import { isAway, RequestFailure } from '../../api/request.ts';

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15_000;
/** Longest pause asked for by the service that is waited for; a used-up quota of the month is not. */
const MAX_ASKED_SECONDS = 120;

interface Waiting {
  readonly signal: AbortSignal;
  /** Called before each pause. */
  onWait(): void;
  /** Settles when the user is signed in. */
  signedIn(): Promise<void>;
}

/**
 * Repeats a request while the service is away, limits the rate of requests, or asks for a sign-in. Throws other
 * failures, and the reason of the signal.
 */
export async function persistently<Result>(
  request: () => Promise<Result>,
  { signal, onWait, signedIn }: Waiting,
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await request();
    } catch (error) {
      const delay = pauseAfter(error, failures);
      if (delay === undefined) throw error;
      onWait();
      await Promise.all([pause(delay, signal), signedIn()]);
      signal.throwIfAborted();
    }
  }
}

/** Milliseconds until another attempt; undefined if none can help. */
function pauseAfter(error: unknown, failures: number): number | undefined {
  const growing = Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS);
  if (isAway(error)) return growing;
  if (!(error instanceof RequestFailure)) return undefined;
  if (error.status === 401) return failures === 0 ? 0 : growing;
  const { retryAfter } = error;
  return error.status === 429 && retryAfter !== undefined && retryAfter <= MAX_ASKED_SECONDS
    ? retryAfter * 1_000
    : undefined;
}

/** Settles after that time, or when the signal aborts. */
const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
