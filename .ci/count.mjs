// Adds up the reports named after the number of failed steps, and prints the last line of a run.
import { existsSync, readFileSync } from 'node:fs';

const [failedSteps = '0', ...reports] = process.argv.slice(2);
let passed = 0;
let failed = 0;
let missing = 0;
for (const report of reports) {
  if (!existsSync(report)) {
    missing += 1;
    continue;
  }
  const { numPassedTests = 0, numFailedTests = 0, numFailedTestSuites = 0 } = JSON.parse(readFileSync(report, 'utf8'));
  passed += numPassedTests;
  // A file that does not even load has no test to count, and still must not pass.
  failed += Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0);
}
// A step that failed without a failed test (a type error, a report never written) counts as one failure of its own.
const stepsWithoutTests = Math.max(Number(failedSteps) - (failed > 0 ? 1 : 0), missing > 0 && failed === 0 ? missing : 0);
failed += stepsWithoutTests;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
