import { useRef, useState } from 'preact/hooks';
import { messageOf, RequestFailure } from '../api/request.ts';

interface Attempts {
  /** Message of the last attempt if it failed. */
  readonly failure: string | undefined;
  /** Whether the last attempt failed a check that the request can skip. */
  readonly canSkipCheck: boolean;
  /** Whether an attempt has not ended yet. Its button shows that, but keeps the focus. */
  readonly isBusy: boolean;
  setFailure(message: string | undefined): void;
  /** Does what was asked for; never throws. */
  attempt(act: () => Promise<unknown>): Promise<void>;
  /** The same, unless an attempt is running: a second click does nothing twice. */
  attemptOnce(act: () => Promise<unknown>): Promise<void>;
}

/** Runs the requests of a component and keeps the message of one that fails. */
export function useAttempt(): Attempts {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const running = useRef(0);
  const attempt = async (act: () => Promise<unknown>): Promise<void> => {
    setError(undefined);
    running.current++;
    setBusy(true);
    try {
      await act();
    } catch (thrown) {
      setError(thrown);
    } finally {
      running.current--;
      setBusy(running.current > 0);
    }
  };
  const failedCheck = error instanceof RequestFailure ? error.failedCheck : undefined;
  return {
    failure: error === undefined ? undefined : (failedCheck ?? messageOf(error)),
    isBusy,
    canSkipCheck: failedCheck !== undefined,
    setFailure: setError,
    attempt,
    attemptOnce: (act) => (running.current > 0 ? Promise.resolve() : attempt(act)),
  };
}
