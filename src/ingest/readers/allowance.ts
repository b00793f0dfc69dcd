import { ServiceError } from '../../errors.ts';

/** What the files within one file may take together, at every depth. */
export interface Allowance {
  /** How many files are around the one that is read. */
  readonly depth: number;
  readonly bytesLeft: number;
  /** Takes one more file of that size off what is left. Throws `AllowanceSpent`. */
  take(bytes: number): void;
  /** What is said when there is more than what is left. */
  spent(): AllowanceSpent;
  /** The same allowance for what is one file further in. */
  deeper(): Allowance;
}

/** An archive in a mail in an archive is something people send; deeper ones are made to be deep. */
export const MAX_DEPTH = 2;
export const MAX_FILES = 5_000;
const MAX_BYTES = 150_000_000;

/** All that may be taken out of a file is taken; unlike a fault of one file in it, this ends the reading of the whole. */
export class AllowanceSpent extends ServiceError {
  constructor(what: string) {
    super('too_large', `${what}. Split it first.`);
  }
}

/** The allowance of a file that is within no other. */
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
