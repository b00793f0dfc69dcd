/** Result of one test. */
export interface TestOutcome {
  /** The file's name without its folder. */
  readonly file: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Of a failure. */
  readonly message: string;
}

/** A test of R2R that fails here, and the reason why that is accepted. */
export interface AcceptedDifference {
  readonly file: string;
  readonly test: string;
  readonly reason: string;
  /** The test passes with the scripted model. */
  readonly onlyWithoutModel?: true;
}
