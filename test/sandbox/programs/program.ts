/** An ordinary program of an analyst, with what CPython says to it. */
export interface Program {
  readonly name: string;
  readonly code: string;
  /** The repr of its last expression. */
  readonly value?: string;
  /** All that it prints. */
  readonly prints?: string;
}
