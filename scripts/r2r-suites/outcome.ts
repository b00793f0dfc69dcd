/** Result of one test. */
export interface TestOutcome {
  /** The file's name without its folder. */
  readonly file: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Message of a failure. */
  readonly message: string;
}

/** A test of R2R that fails against this service, and the reason why that is accepted. */
export interface AcceptedDifference {
  readonly file: string;
  readonly test: string;
  readonly reason: string;
  /** Set if the test passes with the scripted model. */
  readonly onlyWithoutModel?: true;
}
