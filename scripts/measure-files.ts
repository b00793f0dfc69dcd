import './build-first.js';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { descendantsOf } from '../test/support/descendants.ts';
import { startCitewell } from '../test/support/run-citewell.ts';
import { createPseudoText } from './bench/pseudo-text.ts';

const USAGE = `Measures the memory and the processor time of the compiled service and of its processes while it ingests files, and
after a pause. Linux only.

  node scripts/measure-files.ts [--files N] [--kilobytes N] [--callers N] [--pause SECONDS] [--rounds N]

  --files N      default 160
  --kilobytes N  of text in each file; default 100
  --callers N    uploads at once; default 4
  --pause S      default 25
  --rounds N     default 1

Settings of the environment that begin with CITEWELL_, MALLOC_ or NODE_ are passed on. Megabytes are of 10⁶ bytes.`;

const SAMPLE_MS = 100;
const POLL_MS = 200;
const MEGABYTE = 1_000_000;
const TICKS_PER_SECOND = 100;
const KINDS = ['service', 'readers', 'chroma', 'others'] as const;

type Kind = (typeof KINDS)[number];
type PerKind = Record<Kind, number>;

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '160' },
    kilobytes: { type: 'string', default: '100' },
    callers: { type: 'string', default: '4' },
    pause: { type: 'string', default: '25' },
    rounds: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (values.help) {
    console.log(USAGE);
    return;
  }
  console.log(
    '| | ingested | service, at most | readers | Chroma | others | all at one time | processor time: service | readers | service after the pause | load |',
  );
  console.log(`|${'---|'.repeat(11)}`);
  for (let round = 1; round <= Number(values.rounds); round++) await measure(round);
}

async function measure(round: number): Promise<void> {
  const cwd = await mkdtemp(join(tmpdir(), 'citewell-files-'));
  const passed = Object.entries(process.env).filter(([name]) => /^(?:MALLOC|CITEWELL|NODE|LD)_/.test(name));
  const env = { CITEWELL_LOG_LEVEL: 'warn', ...(Object.fromEntries(passed) as Record<string, string>) };
  const server = await startCitewell({ cwd, env, startWithinMs: 300_000 });
  const sampling = startSampling(server.pid);
  try {
    const startedAt = performance.now();
    await upload(server.url);
    await untilIngested(server.url);
    const seconds = (performance.now() - startedAt) / 1000;
    const { most, together, processor } = await sampling.end();
    await sleep(Number(values.pause) * 1000);
    const after = (await memoryOf(server.pid)) / MEGABYTE;
    const cells = [
      `${seconds.toFixed(1)} s`,
      ...KINDS.map((kind) => `${(most[kind] / MEGABYTE).toFixed(0)} MB`),
      `${(together / MEGABYTE).toFixed(0)} MB`,
      `${processor.service.toFixed(1)} s`,
      `${processor.readers.toFixed(1)} s`,
      `${after.toFixed(0)} MB`,
      loadavg()[0]?.toFixed(1),
    ];
    console.log(`| ${[round, ...cells].join(' | ')} |`);
  } finally {
    await sampling.end();
    await server.end('SIGTERM');
    await rm(cwd, { recursive: true, force: true });
  }
}

async function upload(url: string): Promise<void> {
  const text = createPseudoText(1);
  const characters = Number(values.kilobytes) * 1000;
  let next = 0;
  let documents = 0;
  const fileOf = (): string => {
    let file = '';
    while (file.length < characters) file += `${text.document(documents++).paragraphs.join('\n\n')}\n\n`;
    return file.slice(0, characters);
  };
  const call = async () => {
    for (let index = next++; index < Number(values.files); index = next++) {
      const body = new FormData();
      body.set('file', new File([fileOf()], `file ${index}.txt`, { type: 'text/plain' }));
      const response = await fetch(`${url}/v3/documents`, { method: 'POST', body });
      if (!response.ok) throw new Error(`The upload failed: ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: Number(values.callers) }, call));
}

async function untilIngested(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/v3/documents?limit=1000`);
    const { results } = (await response.json()) as {
      readonly results: readonly { readonly title: string; readonly ingestion_status: string }[];
    };
    const failed = results.find(({ ingestion_status: status }) => status === 'failed');
    if (failed !== undefined) throw new Error(`${failed.title} was not ingested.`);
    if (results.every(({ ingestion_status: status }) => status === 'success')) return;
    await sleep(POLL_MS);
  }
}

interface Sampled {
  /** Peak resident memory in bytes, summed over the processes of a kind. */
  readonly most: PerKind;
  readonly together: number;
  /** Processor time in seconds of all processes seen, including those that have ended. */
  readonly processor: PerKind;
}

function startSampling(pid: number): { end(): Promise<Sampled> } {
  const most = zero();
  const spent = new Map<number, { readonly kind: Kind; readonly seconds: number }>();
  let together = 0;
  let isEnded = false;
  const sample = async () => {
    while (!isEnded) {
      const now = zero();
      const processes = [{ pid, kind: 'service' as Kind }, ...(await kindsBelow(pid))];
      for (const { pid: each, kind } of processes) {
        now[kind] += await memoryOf(each);
        spent.set(each, { kind, seconds: await processorTime(each) });
      }
      for (const kind of KINDS) most[kind] = Math.max(most[kind], now[kind]);
      together = Math.max(together, sum(Object.values(now)));
      await sleep(SAMPLE_MS);
    }
  };
  const sampling = sample();
  return {
    async end() {
      isEnded = true;
      await sampling;
      const processor = zero();
      for (const { kind, seconds } of spent.values()) processor[kind] += seconds;
      return { most, together, processor };
    },
  };
}

const zero = (): PerKind => ({ service: 0, readers: 0, chroma: 0, others: 0 });
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

async function kindsBelow(pid: number): Promise<readonly { readonly pid: number; readonly kind: Kind }[]> {
  return (await descendantsOf(pid)).map(({ pid: each, command }) => {
    if (command.includes('preparation-process')) return { pid: each, kind: 'readers' };
    return { pid: each, kind: command.includes('server-process') ? 'chroma' : 'others' };
  });
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Processor time of the process in seconds, including threads that have ended. */
async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}

await main();
