/** An ordinary data analysis program, with CPython's result. */
export interface Program {
  readonly name: string;
  readonly code: string;
  /** The repr of its last expression. */
  readonly value?: string;
  /** Everything it prints. */
  readonly prints?: string;
}
