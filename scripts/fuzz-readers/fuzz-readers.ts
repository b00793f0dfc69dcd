import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ServiceError } from '../../src/errors.ts';
import { ReaderEnded } from '../../src/ingest/failure-kind.ts';
import { createPreparationWorkers } from '../../src/ingest/prepare-in-worker.ts';
import { detectType } from '../../src/ingest/readers/detect-type.ts';
import { seededRandom } from '../seeded-random.ts';
import { mutate } from './mutate.ts';

export interface FuzzOptions {
  readonly samples: Readonly<Record<string, () => Uint8Array>>;
  readonly count: number;
  readonly seed: number;
  /** Time limit per file. */
  readonly timeoutMs: number;
  /** Called for each file that caused a fault, with its bytes. */
  readonly onFault?: (fault: Fault) => void;
  readonly onProgress?: (done: number) => void;
}

export interface Fault {
  readonly fileName: string;
  readonly number: number;
  readonly what: string;
  readonly bytes: Uint8Array;
}

export interface FuzzReport {
  /** Counts by outcome: `read`, or the error code. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: number;
  readonly slowestMs: number;
  readonly slowest: string;
  /** Memory of this process after a tenth of the files and at the end. */
  readonly memory: { readonly warm: Memory; readonly end: Memory };
}

/** In megabytes. */
interface Memory {
  /** Heap after a garbage collection. */
  readonly live: number;
  /** Resident memory. */
  readonly resident: number;
}

const REASONS: ReadonlySet<ServiceError['code']> = new Set(['invalid_request', 'too_large', 'unsupported_type']);
/** Extra time for ending a process on a loaded machine. */
const GRACE_MS = 5_000;

/** Reads mutated copies of files through the service's reader processes, with their limits. */
export async function fuzzReaders(options: FuzzOptions): Promise<FuzzReport> {
  const { samples, count, seed, timeoutMs, onFault, onProgress } = options;
  const random = seededRandom(seed);
  const makers = Object.entries(samples).map(([fileName, make]) => ({ fileName, whole: make() }));
  const workers = createPreparationWorkers({ workers: 1, timeoutMs, memoryMb: 1_024 });
  const outcomes = new Map<string, number>();
  let faults = 0;
  let slowest = { milliseconds: 0, name: '' };
  let warm: Memory = { live: 0, resident: 0 };
  try {
    for (let number = 0; number < count; number++) {
      const sample = makers[number % makers.length];
      if (sample === undefined) break;
      const { fileName } = sample;
      const bytes = mutate(sample.whole, random.fork());
      const started = performance.now();
      const { outcome, fault } = await attempt(fileName, bytes);
      const milliseconds = performance.now() - started;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (milliseconds > slowest.milliseconds) slowest = { milliseconds, name: `${fileName} (${number})` };
      const what = fault ?? (milliseconds > timeoutMs + GRACE_MS ? `took ${Math.round(milliseconds)} ms` : undefined);
      if (what !== undefined) {
        faults++;
        onFault?.({ fileName, number, what, bytes });
      }
      if (number + 1 === Math.ceil(count / 10)) warm = measureMemory();
      onProgress?.(number + 1);
    }
  } finally {
    await workers.close();
  }
  return {
    outcomes: Object.fromEntries([...outcomes].sort(([left], [right]) => left.localeCompare(right))),
    faults,
    slowestMs: Math.round(slowest.milliseconds),
    slowest: slowest.name,
    memory: { warm, end: measureMemory() },
  };

  async function attempt(fileName: string, bytes: Uint8Array): Promise<{ outcome: string; fault?: string }> {
    try {
      const { type } = await detectType({ bytes, fileName });
      const job = { bytes, fileName, type, content: { kind: 'file' }, split: {}, skipSummary: false } as const;
      const { text, chunks } = await workers.prepare(job, new AbortController().signal);
      const torn = chunks.find((chunk) => text.slice(chunk.start, chunk.end) !== chunk.text);
      return { outcome: 'read', ...(torn && { fault: `passage ${torn.order} is not where it says` }) };
    } catch (error) {
      if (error instanceof ReaderEnded) return { outcome: 'reader ended', fault: error.message };
      if (!(error instanceof ServiceError)) return { outcome: 'error', fault: String(error) };
      if (error.code === 'timeout') return { outcome: 'timeout', fault: error.message };
      const isForPeople = REASONS.has(error.code) && !/\bat .*:\d+:\d+|undefined|\[object/.test(error.message);
      return { outcome: error.code, ...(!isForPeople && { fault: `${error.code}: ${error.message}` }) };
    }
  }
}

function measureMemory(): Memory {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { live: Math.round((heapUsed + external) / 1_000_000), resident: Math.round(rss / 1_000_000) };
}
