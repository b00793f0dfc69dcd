/** What came of one test of a suite. */
export interface TestOutcome {
  /** The file's name without its folder. */
  readonly file: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Of a failure. */
  readonly message: string;
}

/** A test of R2R that is known to fail here, and why that stays so. */
export interface AcceptedDifference {
  readonly file: string;
  readonly test: string;
  readonly reason: string;
  /** With the scripted model the test passes. */
  readonly onlyWithoutModel?: true;
}
