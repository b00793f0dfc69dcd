import { Worker } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import { programFile } from '../program-file.ts';
import { onAbort } from '../shared/abort.ts';
import type { CommunityGroup } from './find-communities.ts';
import { BUILT_IN_EXTRACTOR, type ExtractedGraph, type GraphExtractor } from './graph.ts';
import type { GraphJob, GraphReply } from './graph-worker.ts';

export interface GraphThreadLimits {
  /** Time limit for one task. */
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** An idle thread is ended after this time to free its memory, some 50 MB. */
  readonly idleMs: number;
}

/** Long computations in a worker thread. Throws ServiceError: `timeout`, `cancelled`, `internal`. */
export interface GraphThread {
  /** The extractor `builtin/noun-phrases-v1`. */
  readonly extractor: GraphExtractor;
  findCommunities(graph: ExtractedGraph, signal: AbortSignal): Promise<readonly CommunityGroup[]>;
  close(): Promise<void>;
}

const defaultLimits: GraphThreadLimits = { timeoutMs: 300_000, memoryMb: 1_024, idleMs: 60_000 };

const WORKER_URL = programFile('./graph-worker.ts', import.meta);

/** A thread that is started on first use and reused; concurrent tasks start further ones. */
export function createGraphThread(limits: Partial<GraphThreadLimits> = {}): GraphThread {
  const { timeoutMs, memoryMb, idleMs } = { ...defaultLimits, ...limits };
  let idle: { readonly worker: Worker; readonly ending: NodeJS.Timeout } | undefined;
  const all = new Set<Worker>();

  const start = (): Worker => {
    const worker = new Worker(WORKER_URL, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    // An idle thread must not keep a finished program alive.
    worker.unref();
    all.add(worker);
    worker.once('exit', () => {
      all.delete(worker);
      if (idle?.worker === worker) idle = undefined;
    });
    return worker;
  };

  const perform = async (job: GraphJob, what: string, signal: AbortSignal): Promise<GraphReply> => {
    if (signal.aborted) throw new ServiceError('cancelled', `${what} was stopped.`);
    clearTimeout(idle?.ending);
    const worker = idle?.worker ?? start();
    idle = undefined;
    worker.ref();
    const reply = await ask(worker, job, { what, signal, timeoutMs });
    worker.unref();
    const end = () => {
      if (idle?.worker === worker) idle = undefined;
      void worker.terminate();
    };
    if (idle === undefined) idle = { worker, ending: setTimeout(end, idleMs).unref() };
    else end();
    return reply;
  };

  return {
    extractor: {
      name: BUILT_IN_EXTRACTOR,
      async extract(document, signal) {
        const what = `Extracting the graph of "${document.title}"`;
        const reply = await perform({ kind: 'extract', document }, what, signal);
        if (reply.kind === 'extracted') return reply.graph;
        throw failed(what, reply.kind === 'failed' ? reply.reason : 'it answered something else');
      },
    },
    async findCommunities(graph, signal) {
      const what = 'Finding communities';
      const reply = await perform({ kind: 'communities', graph }, what, signal);
      if (reply.kind === 'grouped') return reply.groups;
      throw failed(what, reply.kind === 'failed' ? reply.reason : 'it answered something else');
    },
    async close() {
      clearTimeout(idle?.ending);
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

const failed = (what: string, reason: string, cause?: unknown): ServiceError =>
  new ServiceError('internal', `${what} failed: ${reason}.`, { cause });

function ask(
  worker: Worker,
  job: GraphJob,
  { what, signal, timeoutMs }: { readonly what: string; readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<GraphReply> {
  return new Promise((resolve, reject) => {
    let stopListening = () => {};
    const settle = (act: () => void) => {
      clearTimeout(timer);
      stopListening();
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      act();
    };
    const stop = (error: ServiceError) =>
      settle(() => {
        void worker.terminate();
        reject(error);
      });
    const onMessage = (reply: GraphReply) => settle(() => resolve(reply));
    const onError = (error: Error) => stop(failed(what, error.message, error));
    const onExit = () => stop(failed(what, 'the thread ended'));
    const timer = setTimeout(() => {
      stop(new ServiceError('timeout', `${what} took more than ${Math.round(timeoutMs / 1000)} s.`));
    }, timeoutMs);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    stopListening = onAbort(signal, () => stop(new ServiceError('cancelled', `${what} was stopped.`)));
    worker.postMessage(job);
  });
}
