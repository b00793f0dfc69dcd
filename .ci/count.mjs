// Prints how a run went from "name report exit-code" triples, and as its last line the sums.
import { readFileSync } from 'node:fs';

const args = process.argv.slice(2);
let passed = 0;
let failed = 0;
console.log();
for (let index = 0; index + 2 < args.length; index += 3) {
  const [name, path, code] = args.slice(index, index + 3);
  const report = path === '-' ? undefined : readReport(path);
  const ran = { passed: report?.numPassedTests ?? 0, failed: report?.numFailedTests ?? 0 };
  // Ended badly without a failed test: a check, a file that does not load, a report never written.
  const isComplete = code === '0' && (path === '-' || report !== undefined);
  if (!isComplete && ran.failed === 0) ran.failed = 1;
  passed += ran.passed;
  failed += ran.failed;
  console.log(
    `${name}: ${path === '-' ? (code === '0' ? 'ok' : 'FAILED') : `${ran.passed} passed, ${ran.failed} failed`}`,
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
