import { readSuiteOptions, type SuiteOptions } from './options.ts';
import type { AcceptedDifference, TestOutcome } from './outcome.ts';
import { reportSuite } from './report.ts';
import { type SuiteSurroundings, withServer } from './with-server.ts';

export interface Suite {
  /** Name of the npm script, for the usage line. */
  readonly script: string;
  readonly title: string;
  /** A path by which a checkout of R2R is recognised. */
  readonly needed: string;
  readonly accepted: readonly AcceptedDifference[];
  runSuite(options: SuiteOptions, surroundings: SuiteSurroundings): Promise<readonly TestOutcome[]>;
}

/** Runs a suite against a fresh server, prints the report and sets the exit code. */
export async function main({ script, title, needed, accepted, runSuite }: Suite): Promise<void> {
  const options = await readSuiteOptions(script, needed);
  const outcomes = await withServer(options, (surroundings) => runSuite(options, surroundings));
  const { lines, hasNewFailure } = reportSuite({ title, outcomes, accepted, hasModel: options.hasModel });
  for (const line of lines) console.log(line);
  if (hasNewFailure) process.exitCode = 1;
}
