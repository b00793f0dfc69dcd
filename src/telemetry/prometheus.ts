import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SandboxOccupancy } from '../sandbox/sandbox.ts';
import type { Metrics, MomentaryValues } from './metrics.ts';

/** Maximum number of distinct values of a label that callers can influence; further values are counted as `other`. */
const MAX_VALUES = 200;
const REQUEST_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const LEG_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const CALL_SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160];
const ORIGINALS_STATES = ['ready', 'unavailable'] as const;
const INDEX_STATES = ['ready', 'checking', 'rebuilding', 'unavailable'] as const;

/** Metrics in the format of Prometheus, including those of the process (memory, CPU, event loop). */
export function createPrometheusMetrics(version: string): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'citewell_' });
  countEarlierProcessorTime(registry);
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `citewell_${name}`, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `citewell_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    { labelNames, buckets }: { readonly labelNames: readonly Label[]; readonly buckets: readonly number[] },
  ) => new Histogram({ name: `citewell_${name}`, help, labelNames, buckets: [...buckets], registers });

  gauge('info', 'Always 1; the version of the program.', ['version']).set({ version }, 1);
  const requests = histogram('http_request_duration_seconds', 'HTTP requests until their response was complete.', {
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
  });
  const searches = counter('searches_total', 'Searches.', ['kind', 'outcome']);
  const legs = histogram('search_leg_duration_seconds', 'Legs of searches.', {
    labelNames: ['leg'],
    buckets: LEG_SECONDS,
  });
  const calls = histogram('model_call_duration_seconds', 'Answers of language models until they were complete.', {
    labelNames: ['model', 'outcome'],
    buckets: CALL_SECONDS,
  });
  const tokens = counter(
    'model_tokens_total',
    'Tokens read and written by language models, and read by embedding models.',
    ['model', 'kind'],
  );
  const dollars = counter('model_cost_dollars_total', 'Cost of language and embedding models by the price table.', [
    'model',
  ]);
  const python = histogram('sandbox_run_duration_seconds', 'Calls of Python in the sandbox.', {
    labelNames: ['outcome'],
    buckets: CALL_SECONDS,
  });
  const tasks = gauge('ingestion_tasks', 'Ingestion tasks by state; failed ones as documents.', ['state']);
  const oldest = gauge('ingestion_oldest_queued_seconds', 'Age of the oldest queued task.', []);
  const index = gauge('index_state', '1 for the state of the vector index, 0 for the others.', ['state']);
  const pending = gauge('index_pending_writes', 'Changes that the vector index has not received yet.', []);
  const documents = gauge('documents', 'Documents by status of ingestion.', ['status']);
  const chunks = gauge('chunks', 'Chunks that can be searched.', []);
  const originals = gauge('originals_state', '1 for the state of the storage of uploaded files, 0 for the others.', [
    'state',
  ]);
  const processes = gauge('cluster_processes', 'Processes on the shared database.', ['role']);
  const slots = gauge('sandbox_slots', 'Processes for Python: running a call, started, or not started.', ['state']);
  const waitingCalls = gauge('sandbox_waiting_calls', 'Calls of Python that wait for a slot.', []);
  let occupancy: (() => SandboxOccupancy) | undefined;
  const routes = bounded();
  const models = bounded();

  const show = (now: MomentaryValues): void => {
    tasks.set({ state: 'queued' }, now.queue.queued);
    tasks.set({ state: 'running' }, now.queue.running);
    tasks.set({ state: 'failed' }, now.queue.failed);
    oldest.set(now.queue.oldestSeconds);
    for (const state of INDEX_STATES) index.set({ state }, state === now.index ? 1 : 0);
    pending.set(now.pendingIndexWrites);
    for (const [status, count] of Object.entries(now.documents)) documents.set({ status }, count);
    chunks.set(now.chunks);
    for (const state of now.originals === undefined ? [] : ORIGINALS_STATES) {
      originals.set({ state }, state === now.originals ? 1 : 0);
    }
    processes.reset();
    for (const { role } of now.processes ?? []) processes.inc({ role });
    if (occupancy === undefined) return;
    const { slots: all, waiting, busy, idle } = occupancy();
    slots.set({ state: 'busy' }, busy);
    slots.set({ state: 'idle' }, idle);
    slots.set({ state: 'free' }, Math.max(0, all - busy - idle));
    waitingCalls.set(waiting);
  };

  return {
    request: ({ method, route, status, seconds }) =>
      requests.observe({ method: METHODS.has(method) ? method : 'other', route: routes(route), status }, seconds),
    search({ kind, outcome, legs: ran }) {
      searches.inc({ kind, outcome });
      for (const [leg, seconds] of Object.entries(ran)) legs.observe({ leg }, seconds);
    },
    searchLeg: ({ leg, seconds }) => legs.observe({ leg }, seconds),
    modelCall({ model: name, outcome, seconds, usage, dollars: cost }) {
      const model = models(name);
      calls.observe({ model, outcome }, seconds);
      if (cost !== undefined) dollars.inc({ model }, cost);
      if (usage === undefined) return;
      tokens.inc({ model, kind: 'input' }, usage.input);
      tokens.inc({ model, kind: 'cached_input' }, usage.cachedInput);
      tokens.inc({ model, kind: 'output' }, usage.output);
      tokens.inc({ model, kind: 'reasoning' }, usage.reasoning);
    },
    embedding({ model: name, tokens: read, dollars: cost }) {
      const model = models(name);
      tokens.inc({ model, kind: 'input' }, read);
      if (cost !== undefined) dollars.inc({ model }, cost);
    },
    sandboxRun: ({ outcome, seconds }) => python.observe({ outcome }, seconds),
    watchSandbox: (read) => {
      occupancy = read;
    },
    async render(now) {
      show(now);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

/** The library counts processor time from its creation on, but the metrics are of the process. */
function countEarlierProcessorTime(registry: Registry): void {
  const { user, system } = process.cpuUsage();
  const spent = { cpu_user: user, cpu_system: system, cpu: user + system };
  for (const [name, microseconds] of Object.entries(spent)) {
    const metric = registry.getSingleMetric(`citewell_process_${name}_seconds_total`);
    if (metric instanceof Counter) metric.inc(microseconds / 1e6);
  }
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function bounded(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (!known.has(value) && known.size >= MAX_VALUES) return 'other';
    known.add(value);
    return value;
  };
}
