import { expect, it, onTestFinished } from 'vitest';
import { checkChroma } from '../../src/cli/doctor-checks.ts';
import { loadConfig } from '../../src/config.ts';
import { startChromaCloud } from '../support/chroma-cloud.ts';
import { startEmbeddedChroma } from '../support/embedded-chroma.ts';

it('asks a remote Chroma for its collections, and says what to correct when the key is refused', async () => {
  const chroma = await startEmbeddedChroma();
  onTestFinished(() => chroma.close());
  if (chroma.server.kind !== 'running') throw new Error('It should run.');
  const cloud = await startChromaCloud(chroma.server.url, { apiKey: 'ck-good' });
  onTestFinished(() => cloud.close());
  const check = (env: Readonly<Record<string, string>>) =>
    checkChroma(loadConfig({ env: { CHROMA_URL: cloud.url, CHROMA_DATABASE: 'default_database', ...env } }));
  const quotas = { CITEWELL_CHROMA_RESULTS: '300', CITEWELL_CHROMA_CALLS: '4' };
  expect(await check({ CHROMA_API_KEY: 'ck-good', ...quotas })).toEqual({
    name: 'Chroma',
    state: 'ok',
    detail: `${cloud.url} answers: 0 collections of Citewell; at most 300 results, 4 calls at a time`,
  });
  const refused = await check({ CHROMA_API_KEY: 'ck-bad' });
  expect(refused).toMatchObject({ state: 'wrong', fix: expect.stringContaining('Check CHROMA_URL, CHROMA_API_KEY') });
  expect(refused.detail).toContain('refuses our requests');
  expect(JSON.stringify(refused)).not.toContain('ck-bad');
});
