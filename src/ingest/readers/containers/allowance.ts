import { ServiceError } from '../../../errors.ts';

/** Shared limit on the total size of the files nested in one file, at all depths. */
export interface Allowance {
  /** Number of files enclosing the current one. */
  readonly depth: number;
  readonly bytesLeft: number;
  /** Deducts a file of that size. Throws `AllowanceSpent`. */
  take(bytes: number): void;
  /** The error for exceeding what is left. */
  spent(): AllowanceSpent;
  /** The same allowance, one nesting level deeper. */
  deeper(): Allowance;
}

/** People do send an archive in a mail in an archive; deeper nesting is an attack. */
export const MAX_DEPTH = 2;
export const MAX_FILES = 5_000;
const MAX_BYTES = 150_000_000;

/**
 * The size limit of nested files is used up; unlike an error in one of them, this ends the reading of the whole file.
 */
export class AllowanceSpent extends ServiceError {
  constructor(what: string) {
    super('too_large', `${what}. Split it first.`);
  }
}

/** The allowance of a file that is not nested. */
export function createAllowance(fileName: string): Allowance {
  let bytesLeft = MAX_BYTES;
  let filesLeft = MAX_FILES;
  const spent = () => new AllowanceSpent(`${fileName} unpacks to more than ${MAX_BYTES} bytes`);
  const at = (depth: number): Allowance => ({
    depth,
    get bytesLeft() {
      return bytesLeft;
    },
    take(bytes) {
      bytesLeft -= bytes;
      filesLeft -= 1;
      if (bytesLeft < 0) throw spent();
      if (filesLeft < 0) throw new AllowanceSpent(`${fileName} holds more than ${MAX_FILES} files`);
    },
    spent,
    deeper: () => at(depth + 1),
  });
  return at(0);
}
