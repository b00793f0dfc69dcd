import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { tracedEmbeddings } from '../../src/compose/traced-adapters.ts';
import { createEmbeddingModel } from '../../src/embeddings/registry.ts';
import { ServiceError } from '../../src/errors.ts';
import type { Metrics } from '../../src/telemetry/metrics.ts';
import { observedEmbedders } from '../../src/telemetry/observed.ts';
import { openOtlpTraces } from '../../src/telemetry/open-otlp.ts';
import { createPrometheusMetrics } from '../../src/telemetry/prometheus.ts';
import { tracedLog } from '../../src/telemetry/traced.ts';
import { inSpan } from '../../src/telemetry/traces.ts';
import { startCitewell } from '../http/support/start-citewell.ts';
import { onlyEmbedder } from '../support/adapters.ts';
import { cutOnFailure } from '../support/cut-on-failure.ts';
import { chatReply, startFakeOpenAi, TOKENS_OF_FAKE_EMBEDDINGS } from '../support/fake-openai.ts';

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

/** A collector: receives OTLP over HTTP in JSON. */
async function startCollector(status = 200) {
  const spans: SentSpan[] = [];
  const services = new Set<unknown>();
  const requests: { readonly path: string | undefined; readonly key: unknown }[] = [];
  const server = createServer(
    cutOnFailure(async (request, response) => {
      // biome-ignore lint/suspicious/noExplicitAny: the shape of OTLP
      const body: any = await json(request);
      requests.push({ path: request.url, key: request.headers['x-key'] });
      for (const { resource, scopeSpans } of body.resourceSpans) {
        services.add(resource.attributes.find(({ key }: { key: string }) => key === 'service.name')?.value.stringValue);
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return { url: `${origin}/v1/traces`, spans, services, requests };
}

const attribute = (span: SentSpan | undefined, key: string) =>
  Object.values(span?.attributes.find((each) => each.key === key)?.value ?? {})[0];

/** Names from the root of the trace down to the span. */
function pathOf(span: SentSpan, spans: readonly SentSpan[]): string {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent === undefined ? span.name : `${pathOf(parent, spans)} > ${span.name}`;
}

type Embedding = Parameters<Metrics['embedding']>[0];

const settings = { headers: { 'x-key': 'secret' }, serviceName: 'kb' };
/** Without `warn`, no warning is expected. It is checked after the test: thrown from `warn`, it would fail no test. */
const open = (url: string, warn?: (message: string) => void) => {
  const warnings: string[] = [];
  onTestFinished(() => expect(warnings).toEqual([]));
  return openOtlpTraces(
    { ...settings, url },
    { version: '1.2.3', warn: warn ?? ((message) => void warnings.push(message)) },
  );
};

it('sends requests with their searches, model calls, tools and ingestions to a collector, without what they say', {
  timeout: 180_000,
}, async () => {
  const collector = await startCollector();
  const provider = await startFakeOpenAi();
  onTestFinished(() => provider.close());
  const models = { providers: [{ name: 'fake', baseUrl: provider.baseUrl }], models: { quality: 'fake/gpt' } };
  const traces = await open(collector.url);
  const http = await startCitewell({ traces, models });
  const form = new FormData();
  form.set('file', new File(['The ferry to Tolmen sails at nine.'], 'ferry.txt', { type: 'text/plain' }));
  const upload = await fetch(`${http.url}/v3/documents`, { method: 'POST', body: form });
  expect(upload.status).toBe(202);
  await http.post('/v3/retrieval/search', { query: 'Tolmen', search_settings: { use_hybrid_search: true } });
  const call = { id: 'a', name: 'search_file_knowledge', arguments: '{"query":"Tolmen ferry"}' };
  // Whatever else asks a model, such as the summary of the document.
  const usage = { input: 11, output: 7 };
  const hasCalled = ({ messages }: { messages: readonly { role: string }[] }) =>
    messages.some(({ role }) => role === 'tool');
  provider.otherwise(({ body }) =>
    chatReply(body.tools === undefined || hasCalled(body) ? { text: 'At nine.', usage } : { toolCalls: [call] }),
  );
  const parent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
  await fetch(`${http.url}/v3/retrieval/agent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: `00-${parent.traceId}-${parent.spanId}-01` },
    body: JSON.stringify({ message: { role: 'user', content: 'When?' }, rag_generation_config: { stream: false } }),
  }).then((response) => response.text());
  const failure = await fetch(`${http.url}/v3/documents/not-an-id`);
  const failed = (await failure.json()) as { readonly trace_id?: string };
  await http.close();
  await traces.close();

  const { spans } = collector;
  const paths = new Set(spans.map((span) => pathOf(span, spans)));
  const [uploaded, searched, asked] = ['documents', 'retrieval/search', 'retrieval/agent'].map(
    (at) => `POST /v3/${at}`,
  );
  for (const path of [
    `${uploaded} > ingest > ingest parsing > read file`,
    `${uploaded} > ingest > ingest embedding > embeddings static-v1`,
    `${searched} > search > search full_text`,
    `${searched} > search > search semantic`,
    `${asked} > chat gpt`,
    `${asked} > execute_tool search_file_knowledge > search > search full_text`,
  ]) {
    expect([...paths].map((each) => each.replace(/embeddings .*/, 'embeddings static-v1'))).toContain(path);
  }
  const request = spans.find(({ name }) => name === asked);
  expect(request).toMatchObject({ traceId: parent.traceId, parentSpanId: parent.spanId, kind: 2 });
  expect(attribute(request, 'http.response.status_code')).toBe(200);
  const answer = spans.find((span) => attribute(span, 'gen_ai.usage.output_tokens') === 7);
  expect(answer?.name).toBe('chat gpt');
  expect(attribute(answer, 'gen_ai.provider.name')).toBe('fake');
  expect(attribute(answer, 'gen_ai.usage.input_tokens')).toBe(11);
  const refused = spans.find(({ traceId }) => traceId === failed.trace_id);
  expect(attribute(refused, 'http.route')).toBe('/v3/documents/:id');
  expect([...collector.services]).toEqual(['kb']);
  expect(collector.requests[0]).toEqual({ path: '/v1/traces', key: 'secret' });
  expect(JSON.stringify(spans)).not.toMatch(/Tolmen|nine|When\?/);
});

it('names the span in log lines, and no trace in answers where nothing is traced', async () => {
  const collector = await startCollector();
  const traces = await open(collector.url);
  const logged: object[] = [];
  const record = (fields: object) => void logged.push(fields);
  const log = tracedLog({ info: record, warn: record, error: record }, traces);
  const span = traces.start({ name: 'a' });
  span.run(() => log.warn({ at: 1 }, 'Something.'));
  log.warn({ at: 2 }, 'Something else.');
  span.end();
  await traces.close();
  const [sent] = collector.spans;
  expect(logged).toEqual([{ trace_id: sent?.traceId, span_id: sent?.spanId, at: 1 }, { at: 2 }]);

  const plain = await startCitewell();
  onTestFinished(() => plain.close());
  const answer = (await (await fetch(`${plain.url}/v3/documents/no-id`)).json()) as object;
  expect(answer).toHaveProperty('message');
  expect(answer).not.toHaveProperty('trace_id');
});

it('reports that a collector refuses spans', async () => {
  const collector = await startCollector(400);
  const warnings: string[] = [];
  const traces = await open(collector.url, (message) => warnings.push(message));
  traces.start({ name: 'a' }).end();
  await traces.close();
  expect(warnings).toEqual([`Traces cannot be sent to ${new URL(collector.url).origin}.`]);
});

it('marks requests as failed that the service could not answer, and not those that the client got wrong', async () => {
  const collector = await startCollector();
  const traces = await open(collector.url);
  const http = await startCitewell({ traces });
  const messages = [{ role: 'user', content: 'When?' }];
  const complete = (model: string) => http.post('/v3/retrieval/completion', { messages, generation_config: { model } });
  expect((await complete('openai/gpt')).status).toBe(503);
  expect((await fetch(`${http.url}/v3/documents/not-an-id`)).status).toBe(422);
  await http.close();
  await traces.close();
  const ended = collector.spans.filter(({ name }) => / \/v3\//.test(name));
  expect(ended.map((span) => [span.name, span.status.code ?? 0, attribute(span, 'error.type')])).toEqual([
    ['POST /v3/retrieval/completion', 2, '503'],
    ['GET /v3/documents/:id', 0, undefined],
  ]);
});

it('records the kind of a failure, but not its message', async () => {
  const collector = await startCollector();
  const traces = await open(collector.url);
  const failures = [
    new ServiceError('provider_failed', 'https://tolmen.example/secret answered with status 500.'),
    new TypeError('"Tolmen" is no number'),
  ];
  for (const failure of failures) await inSpan(traces, { name: 'a' }, () => Promise.reject(failure)).catch(() => {});
  await traces.close();
  expect(collector.spans.map((span) => attribute(span, 'error.type'))).toEqual(['provider_failed', 'TypeError']);
  expect(collector.spans.map(({ status }) => status.code)).toEqual([2, 2]);
  expect(JSON.stringify(collector.spans)).not.toMatch(/tolmen/i);
});

it('gives up on a collector that does not answer, so that the process can end', async () => {
  const left = Promise.withResolvers<number>();
  const startedAt = performance.now();
  const server = createServer((request) => {
    request.socket.once('close', () => left.resolve(performance.now() - startedAt));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1/traces`;
  const traces = await openOtlpTraces({ ...settings, url }, { version: '1.2.3', warn: () => {}, sendingMs: 200 });
  traces.start({ name: 'a' }).end();
  await traces.close();
  // OpenTelemetry's own limit is 10 s.
  expect(await left.promise).toBeLessThan(8_000);
});

it('records the tokens of embedding calls that the provider reports, beside counting them', async () => {
  const collector = await startCollector();
  const provider = await startFakeOpenAi();
  onTestFinished(() => provider.close());
  const settings = { providers: [{ name: 'fake', baseUrl: provider.baseUrl }], modelsFolder: '/nowhere' };
  const traces = await open(collector.url);
  const counted: number[] = [];
  const metrics = { ...createPrometheusMetrics('1.2.3'), embedding: ({ tokens }: Embedding) => counted.push(tokens) };
  for (const name of ['fake/vectors', 'builtin/lexical-hash-v1']) {
    const embedders = observedEmbedders(onlyEmbedder(createEmbeddingModel(name, settings)), {}, metrics);
    await tracedEmbeddings(embedders.create(name), traces).embed(['ferry', 'noon'], 'passage');
  }
  await traces.close();
  const facts = collector.spans.map((span) => [
    span.name,
    attribute(span, 'gen_ai.usage.input_tokens'),
    attribute(span, 'citewell.results'),
  ]);
  expect(facts).toEqual([
    ['embeddings vectors', TOKENS_OF_FAKE_EMBEDDINGS, 2],
    ['embeddings lexical-hash-v1', undefined, 2],
  ]);
  expect(counted).toEqual([TOKENS_OF_FAKE_EMBEDDINGS]);
});
