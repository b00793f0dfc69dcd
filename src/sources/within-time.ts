import { ServiceError } from '../errors.ts';

interface TimeLimit {
  /** Display name for error messages. */
  readonly name: string;
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** Runs work with a time limit. Throws `timeout` when it expires, and `provider_failed` if the connection breaks. */
export async function withinTime<T>(
  { name, ms, signal }: TimeLimit,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(ms);
  try {
    return await work(AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw new ServiceError('timeout', `${name} did not answer within ${ms / 1000} s.`);
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('provider_failed', `The answer of ${name} broke off.`, { cause: error });
  }
}
