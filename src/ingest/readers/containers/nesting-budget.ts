import { ServiceError } from '../../../errors.ts';

/** Shared limit on the total size of the files nested in one file, at all depths. */
export interface NestingBudget {
  /** Number of files enclosing the current one. */
  readonly depth: number;
  readonly bytesLeft: number;
  /** Deducts a file of that size. Throws `NestingBudgetExceeded`. */
  take(bytes: number): void;
  /** The error for exceeding what is left. */
  exceeded(): NestingBudgetExceeded;
  /** The same allowance, one nesting level deeper. */
  deeper(): NestingBudget;
}

/** People do send an archive in a mail in an archive; deeper nesting indicates an attack. */
export const MAX_DEPTH = 2;
export const MAX_FILES = 5_000;
const MAX_BYTES = 150_000_000;

/**
 * The size limit of nested files is used up; unlike an error in one of them, this ends the reading of the whole file.
 */
export class NestingBudgetExceeded extends ServiceError {
  constructor(what: string) {
    super('too_large', `${what}. Split it first.`);
  }
}

/** The allowance of a file that is not nested. */
export function createNestingBudget(fileName: string): NestingBudget {
  let bytesLeft = MAX_BYTES;
  let filesLeft = MAX_FILES;
  const exceeded = () => new NestingBudgetExceeded(`${fileName} unpacks to more than ${MAX_BYTES} bytes`);
  const at = (depth: number): NestingBudget => ({
    depth,
    get bytesLeft() {
      return bytesLeft;
    },
    take(bytes) {
      bytesLeft -= bytes;
      filesLeft -= 1;
      if (bytesLeft < 0) throw exceeded();
      if (filesLeft < 0) throw new NestingBudgetExceeded(`${fileName} holds more than ${MAX_FILES} files`);
    },
    exceeded,
    deeper: () => at(depth + 1),
  });
  return at(0);
}
