import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { deferredMetrics } from '../../src/telemetry/deferred-metrics.ts';
import { createPrometheusMetrics } from '../../src/telemetry/prometheus.ts';

const now = {
  queue: { queued: 0, running: 0, failed: 0, oldestSeconds: 0 },
  index: 'ready',
  pendingIndexWrites: 0,
  documents: {},
  chunks: 0,
} as const;
const NEVER = 1_000_000;

it('counts what happened before the library was loaded, and after', async () => {
  let loads = 0;
  const metrics = deferredMetrics(async () => {
    loads++;
    return createPrometheusMetrics('1.2.3');
  }, NEVER);
  metrics.search({ kind: 'hybrid', outcome: 'ok', legs: { semantic: 0.01 } });
  metrics.searchLeg({ leg: 'graph', seconds: 0.02 });
  metrics.request({ method: 'GET', route: '/v3/health', status: 200, seconds: 0.01 });
  metrics.embedding({ model: 'test/embedder', tokens: 7 });
  metrics.modelCall({ model: 'test/model', outcome: 'ok', seconds: 1 });
  metrics.sandboxRun({ outcome: 'failed', seconds: 1 });
  metrics.watchSandbox(() => ({ slots: 3, waiting: 2, busy: 1, idle: 0 }));
  expect(loads).toBe(0);
  await metrics.render(now);
  metrics.search({ kind: 'hybrid', outcome: 'ok', legs: {} });
  const { text, contentType } = await metrics.render(now);
  expect(loads).toBe(1);
  expect(contentType).toContain('text/plain');
  expect(text).toContain('citewell_searches_total{kind="hybrid",outcome="ok"} 2');
  expect(text).toContain('citewell_search_leg_duration_seconds_count{leg="semantic"} 1');
  expect(text).toContain('citewell_search_leg_duration_seconds_count{leg="graph"} 1');
  expect(text).toContain('citewell_model_tokens_total{model="test/embedder",kind="input"} 7');
  expect(text).toContain(
    'citewell_http_request_duration_seconds_count{method="GET",route="/v3/health",status="200"} 1',
  );
  expect(text).toContain('citewell_model_call_duration_seconds_count{model="test/model",outcome="ok"} 1');
  expect(text).toContain('citewell_sandbox_run_duration_seconds_count{outcome="failed"} 1');
  expect(text).toContain('citewell_sandbox_waiting_calls 2');
});

it('counts the processor time since the start of the process', async () => {
  const { user, system } = process.cpuUsage();
  const { text } = await createPrometheusMetrics('1.2.3').render(now);
  const seconds = (name: string) =>
    Number(new RegExp(`^citewell_process_${name}_seconds_total (.+)$`, 'm').exec(text)?.[1]);
  expect(seconds('cpu_user')).toBeGreaterThanOrEqual(user / 1e6);
  expect(seconds('cpu_system')).toBeGreaterThanOrEqual(system / 1e6);
  expect(seconds('cpu')).toBeGreaterThanOrEqual((user + system) / 1e6);
  expect(seconds('cpu')).toBeLessThan((user + system) / 1e6 + 5);
});

it('loads the library by itself after a while', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  deferredMetrics(async () => {
    resolve();
    return createPrometheusMetrics('1.2.3');
  }, 1);
  await promise;
});

it('keeps a limited number of observations while the library is not loaded', async () => {
  const metrics = deferredMetrics(async () => createPrometheusMetrics('1.2.3'), NEVER);
  for (let count = 0; count < 20_000; count++) metrics.search({ kind: 'semantic', outcome: 'ok', legs: {} });
  expect((await metrics.render(now)).text).toContain('citewell_searches_total{kind="semantic",outcome="ok"} 10000');
});

it('reports to the reader that the library cannot be loaded, and keeps what it has to count', async () => {
  let fails = true;
  const metrics = deferredMetrics(async () => {
    if (fails) throw new Error('The file is gone.');
    return createPrometheusMetrics('1.2.3');
  }, 1);
  metrics.search({ kind: 'semantic', outcome: 'ok', legs: {} });
  await sleep(5);
  await expect(metrics.render(now)).rejects.toThrow('The file is gone.');
  fails = false;
  expect((await metrics.render(now)).text).toContain('citewell_searches_total{kind="semantic",outcome="ok"} 1');
});
