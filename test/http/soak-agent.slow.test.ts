import { expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../scripts/seeded-random.ts';
import { startSlowModel } from '../../scripts/soak-agent/slow-model.ts';
import { soakRound } from '../../scripts/soak-agent/soak-round.ts';
import { startCitewell } from './support/start-citewell.ts';

// The full version is scripts/soak-agent.ts. An unhandled rejection fails the test run by itself.

it('agent streams whose clients disconnect are cancelled or, when resumable, stored in full', async () => {
  const settings = { words: 15, pause: 8 };
  const model = await startSlowModel(settings);
  onTestFinished(model.close);
  const http = await startCitewell({
    grace: 0,
    models: { providers: [{ name: 'slow', baseUrl: model.baseUrl }], models: { quality: 'slow/model' } },
  });
  onTestFinished(http.close);
  await http.post('/v3/documents', { raw_text: 'This is the harbour that is meant.' });
  const random = seededRandom(7).next;
  const report = await soakRound({
    url: http.url,
    model,
    settings,
    streams: 60,
    first: 0,
    random,
    settle: 10_000,
  });
  expect(report).toMatchObject({ stayed: 40, left: 20, wrong: [] });
  expect(report.aborted).toBeGreaterThan(0);
  expect(report.stored).toBeGreaterThan(0);
  expect(http.logged).toEqual([]);
});
