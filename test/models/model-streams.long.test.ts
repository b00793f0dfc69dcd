import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openAdapters } from '../../src/adapters/open-adapters.ts';
import { compose } from '../../src/compose/compose.ts';
import { loadConfig } from '../../src/config.ts';
import { startFakeOpenAi } from '../support/fake-openai.ts';
import { PATIENT } from '../support/patience.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { modelRequest } from './support.ts';

it.each([
  [undefined, 100, 100],
  ['3', 20, 3],
])('opens as many model streams at once as CITEWELL_MODEL_STREAMS=%s allows', async (setting, asked, opened) => {
  const provider = await startFakeOpenAi();
  onTestFinished(provider.close);
  provider.otherwise(() => ({ steps: [{ hang: true }] }));
  const cwd = await temporaryFolder();
  const env = {
    CITEWELL_PROVIDERS: `fake=${provider.baseUrl}`,
    CITEWELL_MODEL: 'fake/model',
    // Nothing listens there: these services need no index.
    CHROMA_URL: 'http://127.0.0.1:1',
    ...(setting !== undefined && { CITEWELL_MODEL_STREAMS: setting }),
  };
  const log = pino({ level: 'silent' });
  const services = await compose(await openAdapters(loadConfig({ env, cwd }), { log })).start();
  onTestFinished(() => services.close());
  const leaving = new AbortController();
  const model = services.models.resolve('fake/model', 'quality');
  const streams = Array.from({ length: asked }, async () => {
    for await (const _ of model.stream(modelRequest({ signal: leaving.signal }))) break;
  });
  await vi.waitFor(() => expect(provider.requests.length).toBe(opened), PATIENT);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(provider.requests.length).toBe(opened);
  leaving.abort();
  await Promise.allSettled(streams);
});
