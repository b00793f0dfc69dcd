// Prints how a run went from "name report exit-code seconds" groups: what failed and why, a line each, the sums.
import { readFileSync } from 'node:fs';

const args = process.argv.slice(2);
let passed = 0;
let failed = 0;
console.log();
for (let index = 0; index + 3 < args.length; index += 4) {
  const [name, path, code, seconds] = args.slice(index, index + 4);
  const report = path === '-' ? undefined : readReport(path);
  const ran = { passed: report?.numPassedTests ?? 0, failed: report?.numFailedTests ?? 0 };
  // Ended badly without a failed test: a check, a file that does not load, a report never written.
  const isComplete = code === '0' && (path === '-' || report !== undefined);
  if (!isComplete && ran.failed === 0) ran.failed = 1;
  passed += ran.passed;
  failed += ran.failed;
  for (const failure of failuresOf(report)) console.log(`FAILED in ${name}: ${failure}`);
  console.log(
    `${name}: ${path === '-' ? (code === '0' ? 'ok' : 'FAILED') : `${ran.passed} passed, ${ran.failed} failed`} (${seconds} s)`,
  );
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

// Of vitest's report; the other runners print their failures last themselves.
function* failuresOf(report) {
  for (const { name, status, message, assertionResults } of report?.testResults ?? []) {
    const failures = assertionResults.filter((test) => test.status === 'failed');
    for (const { fullName, failureMessages } of failures) {
      yield `${name.replace(`${process.cwd()}/`, '')} > ${fullName}\n${failureMessages.join('\n').slice(0, 2_000)}`;
    }
    if (status === 'failed' && failures.length === 0)
      yield `${name.replace(`${process.cwd()}/`, '')}\n${String(message).slice(0, 2_000)}`;
  }
}
