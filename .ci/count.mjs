// Prints how a run went from "name report exit-code seconds repeated" groups: what failed and why, what passed only when it
// was repeated, a line each, the sums.
import { relative } from 'node:path';
import { readReport } from './read-report.mjs';

const args = process.argv.slice(2);
let passed = 0;
let failed = 0;
console.log();
for (let index = 0; index + 4 < args.length; index += 5) {
  const [name, path, code, seconds, repeated] = args.slice(index, index + 5);
  const report = path === '-' ? undefined : readReport(path);
  const again = repeated === '-' || repeated === 'whole' ? undefined : readReport(repeated);
  const ran = { passed: report?.numPassedTests ?? 0, failed: report?.numFailedTests ?? 0 };
  // Ended badly without a failed test: a check, a file that does not load, a report never written.
  const isComplete = code === '0' && (path === '-' || report !== undefined);
  if (again !== undefined) {
    // What failed first is judged by its repetition alone; tests of a file that did not load were not counted yet.
    const passedAgain = isComplete ? ran.failed : Math.max(0, ran.failed - again.numFailedTests);
    ran.passed += passedAgain;
    ran.failed -= passedAgain;
  }
  if (!isComplete && ran.failed === 0) ran.failed = 1;
  passed += ran.passed;
  failed += ran.failed;
  const first = [...failuresOf(report)];
  const last = again === undefined ? first : [...failuresOf(again)];
  for (const { title, message } of last) console.log(`FAILED in ${name}: ${title}\n${message}`);
  const stillFailed = new Set(last.map(({ title }) => title));
  for (const { title, message } of again === undefined ? [] : first) {
    if (!stillFailed.has(title)) console.log(`PASSED ONLY WHEN REPEATED in ${name}: ${title}\n${message}`);
  }
  if (repeated === 'whole' && code === '0') console.log(`PASSED ONLY WHEN REPEATED: ${name}`);
  console.log(
    `${name}: ${path === '-' ? (code === '0' ? 'ok' : 'FAILED') : `${ran.passed} passed, ${ran.failed} failed`} (${seconds} s)`,
  );
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

// Of vitest's report; the other runners print their failures last themselves.
function* failuresOf(report) {
  for (const { name, status, message, assertionResults } of report?.testResults ?? []) {
    const file = relative(process.cwd(), name);
    const failures = assertionResults.filter((test) => test.status === 'failed');
    for (const { fullName, failureMessages } of failures) {
      yield { title: `${file} > ${fullName}`, message: failureMessages.join('\n').slice(0, 2_000) };
    }
    if (status === 'failed' && failures.length === 0) yield { title: file, message: String(message).slice(0, 2_000) };
  }
  for (const { file, message } of report?.unhandledErrors ?? []) {
    const during = file === undefined ? 'no file' : relative(process.cwd(), file);
    yield { title: `an error outside of tests, during ${during}`, message: String(message).slice(0, 2_000) };
  }
}
