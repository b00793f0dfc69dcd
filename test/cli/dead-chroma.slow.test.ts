import { expect, it } from 'vitest';
import { runCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('reports in status and search that the Chroma of CHROMA_URL does not answer, and works without it', async () => {
  const cwd = await temporaryFolder();
  const options = { cwd, env: { CHROMA_URL: 'http://127.0.0.1:1' } };
  const status = await runCitewell(['status'], options);
  expect(status.stdout).toMatch(/index +remote, unavailable/);
  expect(status.stderr).toContain('The Chroma of CHROMA_URL (http://127.0.0.1:1) does not answer');
  const search = await runCitewell(['search', 'anything'], options);
  expect(search.stderr).toContain('The Chroma of CHROMA_URL (http://127.0.0.1:1) does not answer');
  expect([status.code, search.code]).toEqual([1, 0]);
  const json = await runCitewell(['status', '--json'], options);
  expect(json.code).toBe(1);
  // With the reason, if the index was found to be down before the status was asked for.
  const silent = /^The vector index does not answer(\.|: no connection to Chroma at http:\/\/127\.0\.0\.1:1\.)/;
  expect(JSON.parse(json.stdout)).toMatchObject({ problems: [expect.stringMatching(silent)] });
});
