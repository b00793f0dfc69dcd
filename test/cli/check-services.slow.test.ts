import { expect, it, onTestFinished } from 'vitest';
import { checkServices } from '../../src/cli/check-services.ts';
import { loadConfig } from '../../src/config.ts';
import { chatReply, embeddingsFor } from '../support/fake-openai.ts';
import { jsonReply, type ReceivedRequest, type Reply, startFakeProvider } from '../support/fake-provider.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FERRY = 'At nine in the morning, from the FERRY pier.';

/** One server that answers as a model, an embedder, a reranker and a SearXNG. */
function answer(request: ReceivedRequest): Reply {
  if (request.path.startsWith('/search')) {
    return jsonReply({ results: [{ title: 'Weather today', url: 'https://example.org/', content: 'Rain.' }] });
  }
  if (request.path.startsWith('/rerank')) {
    return jsonReply([
      { index: 1, score: 0.1 },
      { index: 0, score: 0.9 },
    ]);
  }
  if (request.path.endsWith('/audio/transcriptions')) return jsonReply({ text: '' });
  if (request.path.endsWith('/embeddings')) return embeddingsFor(request);
  return chatReply({ text: FERRY });
}

async function check(reply: (request: ReceivedRequest) => Reply) {
  const server = await startFakeProvider(reply);
  onTestFinished(() => server.close());
  const folder = await temporaryFolder();
  const env = {
    HOME: folder,
    XDG_CACHE_HOME: folder,
    CITEWELL_LOCAL_MODELS: 'off',
    CITEWELL_PROVIDERS: `box=${server.origin}/v1`,
    CITEWELL_MODEL: 'box/large',
    CITEWELL_FAST_MODEL: 'box/small',
    CITEWELL_FALLBACK_MODEL: 'box/small',
    CITEWELL_EMBEDDING_MODEL: 'box/embed',
    CITEWELL_RERANKER: 'tei/rerank',
    TEI_BASE_URL: server.origin,
    SEARXNG_URL: server.origin,
    CITEWELL_READ_IMAGES: 'box/sees',
    CITEWELL_TRANSCRIBER: 'box/hears',
  };
  const findings = await checkServices(loadConfig({ env, cwd: folder }));
  return { findings, requests: server.requests };
}

it('asks each configured service one real question, and the index', { timeout: 60_000 }, async () => {
  const { findings, requests } = await check(answer);
  expect(findings.map(({ name, state, detail }) => [name, state, detail.replace(/\d+\.\d s/, '… s')])).toEqual([
    ['Model', 'ok', `box/large answered in … s: ${FERRY}`],
    ['Model', 'ok', `box/small answered in … s: ${FERRY}`],
    ['Embeddings', 'ok', expect.stringMatching(/^box\/embed answered in … s: \d+ dimensions$/)],
    ['Reranker', 'ok', 'tei/rerank answered in … s: the right passage first'],
    ['Web search', 'ok', 'searxng answered in … s: Weather today'],
    ['Pictures', 'ok', expect.stringContaining('box/sees answered in … s: read "')],
    ['Recordings', 'ok', 'box/hears answered in … s: nothing in a second of silence'],
    ['Index', 'ok', 'the embedded Chroma answered in … s: a stored vector was found'],
  ]);
  const models = requests.map(({ body }) => body?.model).filter((name) => name !== undefined);
  expect(models.toSorted()).toEqual(['embed', 'large', 'sees', 'small']);
});

it('says for each service that fails what to correct, whatever answers in its place', {
  timeout: 60_000,
}, async () => {
  const { findings } = await check((request) =>
    request.body?.model === 'small'
      ? answer(request)
      : jsonReply({ error: { message: 'Incorrect API key provided', type: 'invalid_request_error' } }, { status: 401 }),
  );
  const [large, small, ...others] = findings;
  expect(large).toMatchObject({
    state: 'wrong',
    detail: expect.stringContaining('box/large did not answer'),
    fix: expect.stringContaining('CITEWELL_MODEL'),
  });
  expect(small).toMatchObject({ state: 'ok' });
  expect(others.map(({ state, fix = '' }) => [state, /[A-Z]{3,}_[A-Z_]+/.exec(fix)?.[0]])).toEqual([
    ['wrong', 'CITEWELL_EMBEDDING_MODEL'],
    ['wrong', 'CITEWELL_RERANKER'],
    ['wrong', 'SEARXNG_URL'],
    ['wrong', 'CITEWELL_READ_IMAGES'],
    ['wrong', 'CITEWELL_TRANSCRIBER'],
    ['ok', undefined],
  ]);
});
