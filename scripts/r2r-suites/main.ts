import { readSuiteOptions, type SuiteCommand, type SuiteOptions } from './options.ts';
import type { AcceptedDifference, TestOutcome } from './outcome.ts';
import { reportSuite } from './report.ts';
import { type SuiteEnvironment, withServer } from './with-server.ts';

export interface Suite extends SuiteCommand {
  readonly title: string;
  readonly accepted: readonly AcceptedDifference[];
  runSuite(options: SuiteOptions, surroundings: SuiteEnvironment): Promise<readonly TestOutcome[]>;
}

/** Runs a suite against a fresh server, prints the report and sets the exit code. */
export async function main(suite: Suite): Promise<void> {
  try {
    await run(suite);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  }
}

async function run({ title, accepted, runSuite, ...command }: Suite): Promise<void> {
  const options = await readSuiteOptions(command);
  const outcomes = await withServer(options, (surroundings) => runSuite(options, surroundings));
  const { lines, hasNewFailure } = reportSuite({ title, outcomes, accepted, hasModel: options.hasModel });
  for (const line of lines) console.log(line);
  if (hasNewFailure) process.exitCode = 1;
}
