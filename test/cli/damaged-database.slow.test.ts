import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { addLongValue, zeroMiddle } from '../support/damage-database.ts';
import { PATIENT } from '../support/patience.ts';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Above the size up to which a start checks the whole file. */
const LARGE = 34_000_000;
const DAMAGED = /The database \S+citewell\.db is damaged \(.*restore a copy of the data folder/;

it('says in its log, its status and doctor that a large database is damaged, and serves meanwhile', async () => {
  const cwd = await temporaryFolder();
  const file = join(cwd, '.citewell', 'citewell.db');
  await mkdir(join(cwd, '.citewell'), { mode: 0o700 });
  await addLongValue(file, LARGE);
  await zeroMiddle(file);

  const server = await startCitewell({ cwd, startWithinMs: 60_000 });
  onTestFinished(() => server.kill());
  const text = 'The harbour of Tolmen keeps seven ferries.';
  const added = await fetch(`${server.url}/v3/documents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ raw_text: text }),
  });
  expect(added.status).toBe(202);

  await vi.waitFor(() => expect(server.stderr()).toMatch(DAMAGED), PATIENT);
  const status = await runCitewell(['status'], { cwd });
  expect(status.stderr).toMatch(DAMAGED);
  expect(status.stdout).toMatch(/documents +1/);
  const { results } = (await (await fetch(`${server.url}/v3/system/status`)).json()) as {
    results: { citewell: { hints: string[] } };
  };
  expect(results.citewell.hints).toContainEqual(expect.stringMatching(DAMAGED));

  for (const isServing of [true, false]) {
    if (!isServing) await server.end('SIGTERM');
    const doctor = await runCitewell(['doctor'], { cwd });
    expect(doctor.stdout).toMatch(new RegExp(`WRONG +Database: ${DAMAGED.source}`));
    expect(doctor.code).toBe(1);
  }
}, 180_000);
