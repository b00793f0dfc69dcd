// Prints the test files that failed in a report of vitest, or during which an error arose outside of a test, a line each;
// none when so many did that it is no accident.
import { relative } from 'node:path';
import { readReport } from './read-report.mjs';

const MOST = 12;

const { testResults = [], unhandledErrors = [] } = readReport(process.argv[2]) ?? {};
const failed = new Set([
  ...testResults.filter(({ status }) => status === 'failed').map(({ name }) => name),
  ...unhandledErrors.flatMap(({ file }) => file ?? []),
]);
if (failed.size <= MOST) for (const name of failed) console.log(relative(process.cwd(), name));
