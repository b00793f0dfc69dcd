// Prints the test files that failed in a report of vitest, a line each; none when so many did that it is no accident.
import { relative } from 'node:path';
import { readReport } from './read-report.mjs';

const MOST = 12;

const failed = (readReport(process.argv[2])?.testResults ?? []).filter(({ status }) => status === 'failed');
if (failed.length <= MOST) for (const { name } of failed) console.log(relative(process.cwd(), name));
