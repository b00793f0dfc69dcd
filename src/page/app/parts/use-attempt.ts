import { useState } from 'preact/hooks';
import { messageOf, RequestFailure } from '../api/request.ts';

interface Attempts {
  /** Message of the last attempt if it failed. */
  readonly failure: string | undefined;
  /** Whether the last attempt failed a check that the request can skip. */
  readonly canSkipCheck: boolean;
  setFailure(message: string | undefined): void;
  /** Does what was asked for; never throws. */
  attempt(act: () => Promise<unknown>): Promise<void>;
}

/** Runs the requests of a component and keeps the message of one that fails. */
export function useAttempt(): Attempts {
  const [error, setError] = useState<unknown>();
  const attempt = async (act: () => Promise<unknown>): Promise<void> => {
    setError(undefined);
    try {
      await act();
    } catch (thrown) {
      setError(thrown);
    }
  };
  const failedCheck = error instanceof RequestFailure ? error.failedCheck : undefined;
  return {
    failure: error === undefined ? undefined : (failedCheck ?? messageOf(error)),
    canSkipCheck: failedCheck !== undefined,
    setFailure: setError,
    attempt,
  };
}
