import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { createEmbeddingModel } from '../../src/embeddings/registry.ts';
import { ServiceError } from '../../src/errors.ts';
import type { Model, ModelEvent } from '../../src/models/model.ts';
import type { Retriever } from '../../src/retrieval/retriever.ts';
import { defaultSearchSettings } from '../../src/retrieval/search-settings.ts';
import type { Metrics } from '../../src/telemetry/metrics.ts';
import { observedEmbedders, observedModels, observedRetriever } from '../../src/telemetry/observed.ts';
import { createPrometheusMetrics } from '../../src/telemetry/prometheus.ts';
import { startCitewell } from '../http/support/start-citewell.ts';
import { onlyEmbedder } from '../support/adapters.ts';
import { chatReply, startFakeOpenAi, TOKENS_OF_FAKE_EMBEDDINGS } from '../support/fake-openai.ts';

type Options = NonNullable<Parameters<typeof startCitewell>[0]>;

async function start(options: Options = {}) {
  const http = await startCitewell({ metrics: createPrometheusMetrics('1.2.3'), ...options });
  onTestFinished(() => http.close());
  const read = async (headers: Record<string, string> = {}) => fetch(`${http.url}/metrics`, { headers });
  return { http, read };
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of Prometheus's text format. */
function samplesIn(text: string): Sample[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', labels = '', value = ''] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    expect(name, line).not.toBe('');
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', held = '']) => [key, held]);
    return { name, labels: Object.fromEntries(pairs), value: Number(value) };
  });
}

const readingOf = (samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number | undefined =>
  samples.find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, held]) => sample.labels[key] === held),
  )?.value;

it('counts requests by route, searches by leg, model calls, and shows the state of queue, index and process', async () => {
  const provider = await startFakeOpenAi();
  onTestFinished(() => provider.close());
  provider.otherwise(() => chatReply({ text: 'At nine.', usage: { input: 11, output: 7 } }));
  const models = { providers: [{ name: 'fake', baseUrl: provider.baseUrl }], models: { quality: 'fake/gpt' } };
  const { http, read } = await start({ models });
  await http.post('/v3/documents', { raw_text: 'The ferry to Tolmen sails at nine.' });
  await http.post('/v3/retrieval/search', { query: 'ferry' });
  const messages = [{ role: 'user', content: 'When does the ferry sail?' }];
  expect((await http.post('/v3/retrieval/completion', { messages })).status).toBe(200);
  const nobody = '6b9f1f3e-0000-4000-8000-000000000000';
  expect((await fetch(`${http.url}/v3/documents/${nobody}`)).status).toBe(404);

  const response = await read();
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const samples = samplesIn(await response.text());
  const request = (labels: Record<string, string>) =>
    readingOf(samples, 'citewell_http_request_duration_seconds_count', labels);
  expect(request({ method: 'GET', route: '/v3/documents/:id', status: '404' })).toBe(1);
  expect(request({ method: 'POST', route: '/v3/retrieval/search', status: '200' })).toBe(1);
  expect(request({ method: 'POST', route: '/v3/documents', status: '202' })).toBe(1);
  for (const leg of ['embed', 'semantic', 'fullText', 'graph']) {
    expect(readingOf(samples, 'citewell_search_leg_duration_seconds_count', { leg }), leg).toBeGreaterThan(0);
  }
  const searches = readingOf(samples, 'citewell_searches_total', { kind: 'hybrid', outcome: 'ok' });
  expect(searches).toBeGreaterThan(0);
  expect(readingOf(samples, 'citewell_search_leg_duration_seconds_count', { leg: 'graph' })).toBe(searches);
  const model = 'fake/gpt';
  expect(readingOf(samples, 'citewell_model_tokens_total', { model, kind: 'input' })).toBe(11);
  expect(readingOf(samples, 'citewell_model_call_duration_seconds_count', { model, outcome: 'ok' })).toBe(1);
  expect(readingOf(samples, 'citewell_documents', { status: 'success' })).toBe(1);
  expect(readingOf(samples, 'citewell_chunks')).toBe(1);
  expect(readingOf(samples, 'citewell_ingestion_tasks', { state: 'queued' })).toBe(0);
  expect(readingOf(samples, 'citewell_ingestion_oldest_queued_seconds')).toBe(0);
  expect(readingOf(samples, 'citewell_index_state', { state: 'ready' })).toBe(1);
  expect(readingOf(samples, 'citewell_index_state', { state: 'unavailable' })).toBe(0);
  expect(readingOf(samples, 'citewell_process_resident_memory_bytes')).toBeGreaterThan(0);
  expect(readingOf(samples, 'citewell_nodejs_eventloop_lag_p99_seconds')).toBeDefined();
  expect(readingOf(samples, 'citewell_info', { version: '1.2.3' })).toBe(1);
});

it('counts searches that failed, were refused or cancelled beside those that succeeded', async () => {
  const metrics = createPrometheusMetrics('1.2.3');
  const failing = (error: unknown) =>
    observedRetriever({ search: () => Promise.reject(error) } satisfies Retriever, metrics);
  const cancelled = AbortSignal.abort(new Error('The client has left.'));
  const settings = { ...defaultSearchSettings, kind: 'hybrid' } as const;
  const { kind: _, ...withoutKind } = settings;
  const { signal: live } = new AbortController();
  const search = (error: unknown, signal = live) =>
    expect(failing(error).search('ferry', settings, signal)).rejects.toBe(error);
  await search(new ServiceError('store_failed', 'The database cannot be read.'));
  await search(new TypeError('A fault.'));
  await search(new ServiceError('invalid_request', 'No such operator.'));
  await search(cancelled.reason, cancelled);
  const fault = new ServiceError('provider_failed', 'The embedder does not answer.');
  await expect(failing(fault).search('ferry', withoutKind, live)).rejects.toBe(fault);
  const samples = samplesIn((await metrics.render(idle)).text);
  const count = (kind: string, outcome: string) => readingOf(samples, 'citewell_searches_total', { kind, outcome });
  expect(['failed', 'refused', 'cancelled'].map((outcome) => count('hybrid', outcome))).toEqual([2, 1, 1]);
  expect(count('default', 'failed')).toBe(1);
});

it('counts the tokens and cost of an embedding model, of uploads and of searches', async () => {
  const provider = await startFakeOpenAi();
  onTestFinished(() => provider.close());
  const settings = { providers: [{ name: 'fake', baseUrl: provider.baseUrl }], modelsFolder: '/nowhere' };
  const embedder = createEmbeddingModel('fake/vectors@16', settings);
  const { http, read } = await start({ embedder });
  await http.post('/v3/documents', { raw_text: 'The ferry to Tolmen sails at nine.' });
  await http.post('/v3/retrieval/search', { query: 'ferry' });
  const tokens = provider.requests.length * TOKENS_OF_FAKE_EMBEDDINGS;
  expect(tokens).toBeGreaterThanOrEqual(2 * TOKENS_OF_FAKE_EMBEDDINGS);
  const counted = samplesIn(await (await read()).text());
  expect(readingOf(counted, 'citewell_model_tokens_total', { model: 'fake/vectors@16', kind: 'input' })).toBe(tokens);

  const metrics = createPrometheusMetrics('1.2.3');
  const prices = { 'fake/vectors': { input: 2, cachedInput: 2, output: 0 } };
  const embedders = observedEmbedders(onlyEmbedder(embedder), prices, metrics);
  await embedders.create(embedder.name).embed(['ferry'], 'query');
  const dollars = readingOf(samplesIn((await metrics.render(idle)).text), 'citewell_model_cost_dollars_total');
  expect(dollars).toBeCloseTo((TOKENS_OF_FAKE_EMBEDDINGS * 2) / 1_000_000, 12);
});

it('names no path that a caller made up, in whatever spelling', async () => {
  const { http, read } = await start();
  const made = [
    '/secret-path',
    '/v3/secret-path/a',
    '/V3/Documents/secret-path',
    '/v1/secret-path',
    '/docs/secret-path',
  ];
  for (const path of made) await fetch(`${http.url}${path}`);
  await fetch(`${http.url}/v3/documents`, { method: 'PROPFIND' });
  const text = await (await read()).text();
  const samples = samplesIn(text).filter(({ name }) => name === 'citewell_http_request_duration_seconds_count');
  expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(made.length + 1);
  expect(text).not.toMatch(/secret-path|PROPFIND/);
});

it('keeps a bounded number of models and routes', async () => {
  const metrics = createPrometheusMetrics('1.2.3');
  for (let number = 0; number < 1_000; number++) {
    metrics.modelCall({ model: `openai/made-up-${number}`, outcome: 'failed', seconds: 1 });
    metrics.request({ method: 'GET', route: `/made-up-${number}`, status: 200, seconds: 1 });
  }
  const samples = samplesIn((await metrics.render(idle)).text);
  const distinct = (label: string) => new Set(samples.flatMap(({ labels }) => labels[label] ?? [])).size;
  expect([distinct('model'), distinct('route')]).toEqual([201, 201]);
  expect(readingOf(samples, 'citewell_model_call_duration_seconds_count', { model: 'other' })).toBe(800);
});

const idle: Parameters<Metrics['render']>[0] = {
  queue: { queued: 0, running: 0, failed: 0, oldestSeconds: 0 },
  index: 'ready',
  pendingIndexWrites: 0,
  documents: {},
  chunks: 0,
};

it('adds up tokens and cost of a model, and counts failures and answers that were given up', async () => {
  const usage = { input: 1_000_000, cachedInput: 400_000, output: 100_000, reasoning: 50_000 };
  const stop: ModelEvent = { type: 'stop', reason: 'end', usage, model: 'acme/large' };
  const model: Model = {
    name: 'acme/large',
    async *stream({ messages }) {
      yield { type: 'text', text: 'a' };
      if (messages.length > 0) throw new Error('The provider failed.');
      yield stop;
    },
  };
  const metrics = createPrometheusMetrics('1.2.3');
  const prices = { 'acme/large': { input: 2, cachedInput: 1, output: 10 } };
  const registry = { resolve: () => model, defaultName: () => model.name };
  const observed = observedModels(registry, prices, metrics).resolve(undefined, 'quality');
  const request = { messages: [], tools: [], config: {}, signal: new AbortController().signal };
  expect(await Array.fromAsync(observed.stream(request))).toEqual([{ type: 'text', text: 'a' }, stop]);
  const failing = { ...request, messages: [{ role: 'user' as const, text: 'x' }] };
  await expect(Array.fromAsync(observed.stream(failing))).rejects.toThrow('The provider failed.');
  for await (const _ of observed.stream(request)) break;

  const samples = samplesIn((await metrics.render(idle)).text);
  const calls = (outcome: string) => readingOf(samples, 'citewell_model_call_duration_seconds_count', { outcome });
  expect([calls('ok'), calls('failed'), calls('cancelled')]).toEqual([1, 1, 1]);
  expect(readingOf(samples, 'citewell_model_tokens_total', { kind: 'cached_input' })).toBe(400_000);
  expect(readingOf(samples, 'citewell_model_cost_dollars_total')).toBeCloseTo(0.6 * 2 + 0.4 + 1, 6);
});

it('is for superusers, unless it is opened to everybody or nothing is counted', async () => {
  const closed = await start({ isRequired: true, hasTestAdmin: true });
  expect((await closed.read()).status).toBe(401);
  const login = async (username: string, password: string) => {
    const response = await closed.http.post('/v3/users/login', { username, password });
    const { results } = (await response.json()) as { results: { access_token: { token: string } } };
    return { authorization: `Bearer ${results.access_token.token}` };
  };
  await closed.http.post('/v3/users', { email: 'a@example.org', password: 'a long pass phrase' });
  expect((await closed.read(await login('a@example.org', 'a long pass phrase'))).status).toBe(403);
  expect((await closed.read(await login('admin@example.com', 'change_me_immediately'))).status).toBe(200);

  const open = await start({ isRequired: true, opensMetrics: true });
  expect((await open.read()).status).toBe(200);

  const off = await startCitewell();
  onTestFinished(() => off.close());
  expect((await fetch(`${off.url}/metrics`)).status).toBe(404);
});

it('prints every metric that the dashboard asks for, under the labels it uses', async () => {
  const metrics = createPrometheusMetrics('1.2.3');
  metrics.request({ method: 'GET', route: '/', status: 200, seconds: 1 });
  metrics.search({ kind: 'hybrid', outcome: 'ok', legs: { semantic: 0.1 } });
  metrics.searchLeg({ leg: 'graph', seconds: 0.1 });
  const usage = { input: 1, cachedInput: 0, output: 1, reasoning: 0 };
  metrics.modelCall({ model: 'acme/large', outcome: 'ok', seconds: 1, usage, dollars: 1 });
  metrics.sandboxRun({ outcome: 'ok', seconds: 1 });
  metrics.watchSandbox(() => ({ slots: 4, busy: 2, idle: 1, waiting: 3 }));
  const samples = samplesIn(
    (
      await metrics.render({
        ...idle,
        documents: { success: 1 },
        originals: 'ready',
        processes: [{ role: 'server' }],
      })
    ).text,
  );

  const slots = ['busy', 'idle', 'free'].map((state) => readingOf(samples, 'citewell_sandbox_slots', { state }));
  expect([...slots, readingOf(samples, 'citewell_sandbox_waiting_calls')]).toEqual([2, 1, 1, 3]);
  const file = new URL('../../deploy/grafana-dashboard.json', import.meta.url);
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: { targets: { expr: string }[] }[] };
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(15);
  for (const expression of expressions) {
    const names = [...expression.matchAll(/citewell_\w+/g)].map(([name]) => name);
    expect(names.length, expression).toBeGreaterThan(0);
    for (const name of names)
      expect(
        samples.map((sample) => sample.name),
        expression,
      ).toContain(name);
    const found = samples.filter((sample) => sample.name === names[0]);
    const by = /by \(([^)]*)\)/.exec(expression)?.[1]?.split(', ') ?? [];
    const compared = [...expression.matchAll(/(\w+)=~?"/g)].map(([, label]) => label);
    for (const label of [...by, ...compared]) expect(Object.keys(found[0]?.labels ?? {}), expression).toContain(label);
  }

  const table = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8').matchAll(
    /^\| (`citewell_.*)$/gm,
  );
  const documented = [...table].flatMap(([, row = '']) => [
    ...(row.split(' | ')[0] ?? '').matchAll(/`(citewell_\w+)`/g),
  ]);
  const printed = samples.map(({ name }) => name.replace(/_(?:count|sum|bucket)$/, ''));
  expect(documented.length).toBeGreaterThan(15);
  expect(documented.map(([, name]) => name).filter((name) => !printed.includes(name ?? ''))).toEqual([]);
});
