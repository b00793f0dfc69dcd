import { ServiceError } from '../../errors.ts';

/** Ends an operation that its caller has aborted, or that exceeds the time limit of a search. */
export interface OperationWatch {
  /** Throws `cancelled` or `timeout`. */
  check(): void;
}

/** Shared memory in which the requesting thread marks tasks as cancelled. */
export const createCancelFlag = (): Int32Array<SharedArrayBuffer> => new Int32Array(new SharedArrayBuffer(4));

export const cancelTask = (flag: Int32Array<SharedArrayBuffer>, id: number): void => {
  Atomics.store(flag, 0, id);
};

/** Comparing a query with the vectors of a million chunks takes about ten seconds. */
const MAX_OPERATION_MS = 30_000;

/** Starts watching the task with this number. */
export function watchTask(flag: Int32Array<SharedArrayBuffer>, id: number): OperationWatch {
  const until = performance.now() + MAX_OPERATION_MS;
  return {
    check() {
      if (Atomics.load(flag, 0) === id) throw new ServiceError('cancelled', 'The database query was cancelled.');
      if (performance.now() > until) {
        throw new ServiceError(
          'timeout',
          `The search was stopped after ${MAX_OPERATION_MS / 1000} s. Ask a shorter question, or narrow it by a filter.`,
        );
      }
    },
  };
}
