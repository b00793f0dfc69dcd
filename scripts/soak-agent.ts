import './build-first.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { seededRandom } from './seeded-random.ts';
import { startSlowModel } from './soak-agent/slow-model.ts';
import { type SoakReport, soakRound } from './soak-agent/soak-round.ts';

const USAGE = `Opens many agent streams at once, disconnects a third of the clients at random, and checks the outcome of each stream.

  npm exec -- node scripts/soak-agent.ts [options]

  --streams N  at once; default 200
  --rounds N   one after another; default 5
  --words N    of each answer; default 40
  --pause N    milliseconds between words; default 15
  --grace N    seconds that a run waits for a disconnected client (CITEWELL_RESUME_SECONDS); default 0
  --seed N     of the random disconnections; default 1

Service, model and clients run in one process, so memory is that of all three. Exits with 1 after a violation.`;

const options = {
  streams: { type: 'string', default: '200' },
  rounds: { type: 'string', default: '5' },
  words: { type: 'string', default: '40' },
  pause: { type: 'string', default: '15' },
  grace: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const;

const output = processOutput(process.stdout, process.stderr);
setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  const [streams = 0, rounds = 0, words = 0, pause = 0, seed = 0] = [
    values.streams,
    values.rounds,
    values.words,
    values.pause,
    values.seed,
  ].map(Number);
  if (values.help || ![streams, rounds, words].every((number) => Number.isInteger(number) && number > 0)) {
    output.print(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  let rejections = 0;
  process.on('unhandledRejection', (reason) => {
    rejections++;
    output.note(`Unhandled: ${String(reason)}`);
  });
  const folder = await mkdtemp(join(tmpdir(), 'citewell-soak-'));
  const settings = { words, pause };
  const model = await startSlowModel(settings);
  const env = {
    CITEWELL_DATA_DIR: folder,
    CITEWELL_PROVIDERS: `slow=${model.baseUrl}`,
    CITEWELL_MODEL: 'slow/model',
    CITEWELL_RESUME_SECONDS: values.grace,
  };
  const log = commandLog('warn', output);
  const services = await compose(await openAdapters(loadConfig({ env, cwd: folder }), { log })).start();
  const server = await listen(createApp(services), { host: '127.0.0.1', port: 0 });
  try {
    await addDocuments(server.url);
    const { next: random } = seededRandom(seed);
    output.print(HEADINGS);
    output.print(`${'before'.padEnd(6)}${' '.repeat(84)}${memory()}`);
    let isWell = true;
    for (let round = 0; round < rounds; round++) {
      const parts = { url: server.url, model, settings, streams, first: round * streams, random, settle: 60_000 };
      const report = await soakRound(parts);
      output.print(`${String(round + 1).padEnd(6)}${cells(report)}${memory()}`);
      for (const complaint of report.wrong) output.print(`  WRONG ${complaint}`);
      isWell &&= report.wrong.length === 0;
    }
    output.print(`Unhandled rejections: ${rejections}.`);
    process.exitCode = isWell && rejections === 0 ? 0 : 1;
  } finally {
    await server.close();
    await services.close();
    await model.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const HEADINGS =
  'round  stayed  left  stored  aborted  outran  never  seconds  first event p50  p95 ms   wrong  heap MB   rss MB';

function cells({
  stayed,
  left,
  stored,
  aborted,
  finishedFirst,
  notStarted,
  seconds,
  firstEvents,
  wrong,
}: SoakReport): string {
  const at = (share: number) => Math.round(firstEvents[Math.floor(firstEvents.length * share)] ?? 0);
  return [
    [stayed, 7],
    [left, 6],
    [stored, 8],
    [aborted, 9],
    [finishedFirst, 8],
    [notStarted, 7],
    [seconds.toFixed(1), 9],
    [at(0.5), 17],
    [at(0.95), 8],
    [wrong.length, 8],
  ]
    .map(([value, width]) => String(value).padStart(Number(width)))
    .join('')
    .padEnd(84);
}

/** Heap and resident memory in MB after a garbage collection, as aligned text. */
function memory(): string {
  if (typeof collectGarbage === 'function') collectGarbage();
  const { heapUsed, rss } = process.memoryUsage();
  return [heapUsed, rss].map((bytes) => (bytes / 1e6).toFixed(1).padStart(9)).join('');
}

async function addDocuments(url: string): Promise<void> {
  for (let number = 0; number < 20; number++) {
    const body = JSON.stringify({ raw_text: `Harbour ${number} is meant when the question is about pier ${number}.` });
    const headers = { 'Content-Type': 'application/json' };
    const { status } = await fetch(`${url}/v3/documents`, { method: 'POST', headers, body });
    if (status !== 202) throw new Error(`A document was answered with ${status}.`);
  }
}

await main();
