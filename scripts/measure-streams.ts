import './build-first.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openAdapters } from '../src/adapters/open-adapters.ts';
import { commandLog } from '../src/cli/log.ts';
import { processOutput } from '../src/cli/output.ts';
import { compose } from '../src/compose/compose.ts';
import { loadConfig } from '../src/config.ts';
import { createApp } from '../src/http/app.ts';
import { listen } from '../src/http/serve.ts';
import { startFloodingModel } from './measure-streams/flooding-model.ts';
import { question, startSlowModel } from './soak-agent/slow-model.ts';

const USAGE = `Measures what many streams of models at once, and a run that nobody reads, cost.

  npm exec -- node scripts/measure-streams.ts [options]

  --streams N  questions asked at once; default 300
  --at-once LIST  values of CITEWELL_MODEL_STREAMS, in this order; default 16,128,300
  --words N    of each answer; default 40
  --pause N    milliseconds between words; default 150
  --seconds N  for which a run is left alone; default 10

Service, models and clients are in this one process. The run that nobody reads answers without end, as fast as it may;
its client leaves after the first event and is waited for.`;

const options = {
  streams: { type: 'string', default: '300' },
  'at-once': { type: 'string', default: '16,128,300' },
  words: { type: 'string', default: '40' },
  pause: { type: 'string', default: '150' },
  seconds: { type: 'string', default: '10' },
  help: { type: 'boolean', default: false },
} as const;

/** Pause after a start, until the background work is done. */
const REST_MS = 5_000;

const output = processOutput(process.stdout, process.stderr);
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  const [streams = 0, words = 0, pause = 0, seconds = 0] = [
    values.streams,
    values.words,
    values.pause,
    values.seconds,
  ].map(Number);
  if (values.help || ![streams, words].every((number) => Number.isInteger(number) && number > 0)) {
    output.print(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  for (const atOnce of values['at-once'].split(',')) {
    const model = await startSlowModel({ words, pause });
    const env = { CITEWELL_MODEL_STREAMS: atOnce, CITEWELL_PROVIDERS: `test=${model.baseUrl}` };
    const line = await withService(env, (url) => askAll(url, streams)).finally(model.close);
    output.print(`${streams} questions, ${atOnce} model streams at once: ${line}; load ${loadavg()[0]?.toFixed(1)}`);
  }
  const flood = await startFloodingModel();
  const env = { CITEWELL_RESUME_SECONDS: '300', CITEWELL_PROVIDERS: `test=${flood.baseUrl}` };
  const line = await withService(env, (url) => leaveRun(url, seconds)).finally(flood.close);
  output.print(`a run that nobody reads for ${seconds} s: ${line}`);
}

async function withService(env: Readonly<Record<string, string>>, use: (url: string) => Promise<string>) {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-streams-'));
  const settings = { CITEWELL_DATA_DIR: folder, CITEWELL_MODEL: 'test/model', ...env };
  const log = commandLog('warn', output);
  const services = await compose(await openAdapters(loadConfig({ env: settings, cwd: folder }), { log })).start();
  const server = await listen(createApp(services), { host: '127.0.0.1', port: 0 });
  try {
    const body = JSON.stringify({ raw_text: 'The harbour of the island is meant.' });
    const added = await fetch(`${server.url}/v3/documents`, { ...asJson, method: 'POST', body });
    if (added.status !== 202) throw new Error(`A document was answered with ${added.status}.`);
    return await use(server.url);
  } finally {
    await server.close();
    await services.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const asJson = { headers: { 'Content-Type': 'application/json' } };

const ask = (url: string, number: number, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/v3/retrieval/agent`, {
    ...asJson,
    method: 'POST',
    body: JSON.stringify({
      query: question(number),
      needs_initial_conversation_name: false,
      rag_generation_config: { stream: true },
    }),
    ...(signal && { signal }),
  });

/** Asks all questions concurrently and reads every answer to its end. */
async function askAll(url: string, streams: number): Promise<string> {
  const startedAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: streams }, async (_, number) => {
      const text = await (await ask(url, number)).text();
      return { isWhole: text.includes('event: final_answer\n'), milliseconds: performance.now() - startedAt };
    }),
  );
  const times = answers.map(({ milliseconds }) => milliseconds / 1000).toSorted((a, b) => a - b);
  const at = (share: number) => (times[Math.ceil(times.length * share) - 1] ?? 0).toFixed(1);
  const whole = answers.filter(({ isWhole }) => isWhole).length;
  return `${whole} answered, half within ${at(0.5)} s, all within ${at(1)} s`;
}

/** Reads the first event of an endless answer, then disconnects. */
async function leaveRun(url: string, seconds: number): Promise<string> {
  await sleep(REST_MS);
  const before = await retainedMegabytes();
  const leaving = new AbortController();
  const reader = (await ask(url, 0, leaving.signal)).body?.getReader();
  await reader?.read();
  leaving.abort();
  await sleep(seconds * 1000);
  const held = (await retainedMegabytes()) - before;
  const { results } = (await (await fetch(`${url}/v3/retrieval/runs`)).json()) as {
    readonly results: readonly { readonly id: string; readonly events: number; readonly status: string }[];
  };
  const [run] = results;
  if (run === undefined) throw new Error('The run is not in the list of runs.');
  await fetch(`${url}/v3/retrieval/runs/${run.id}/cancel`, { method: 'POST' });
  return `${held.toFixed(1)} MB more held after a collection, ${run.events} events (${run.status})`;
}

/** Memory after several garbage collections: a buffer is freed only by the one after its owner was collected. */
async function retainedMegabytes(): Promise<number> {
  for (let times = 0; times < 3; times++) {
    collectGarbage();
    await sleep(100);
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

await main();
