import { expect, it, onTestFinished } from 'vitest';
import { runRequests } from '../../scripts/fuzz-requests/run.ts';
import { startSubject } from '../../scripts/fuzz-requests/subject.ts';
import { createTally } from '../../scripts/fuzz-requests/tally.ts';

// The full version is scripts/fuzz-requests.ts. An unhandled rejection fails the test run by itself.

it('survives mostly invalid requests to every route, and is consistent afterwards', async () => {
  const subject = await startSubject();
  onTestFinished(subject.close);
  const tally = createTally();
  await runRequests({ subject, count: 320, seed: 1, only: /./, tally, report: () => {} });
  expect(tally.lines().filter((line) => /^(FAILED| {2}request| {2}curl| {2}echo)/.test(line))).toEqual([]);
});
