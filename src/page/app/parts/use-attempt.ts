import { useState } from 'preact/hooks';
import { messageOf } from '../api/request.ts';

interface Attempts {
  /** Message of the last attempt if it failed. */
  readonly failure: string | undefined;
  setFailure(message: string | undefined): void;
  /** Does what was asked for; never throws. */
  attempt(act: () => Promise<unknown>): Promise<void>;
}

/** Runs the requests of a component and keeps the message of one that fails. */
export function useAttempt(): Attempts {
  const [failure, setFailure] = useState<string>();
  const attempt = async (act: () => Promise<unknown>): Promise<void> => {
    setFailure(undefined);
    try {
      await act();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return { failure, setFailure, attempt };
}
