import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import type { ExtractionReply } from './extraction-worker.ts';
import type { ExtractedGraph, GraphExtractor } from './graph.ts';

export interface ExtractionLimits {
  /** A document that takes longer is given up. */
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

const defaultLimits: ExtractionLimits = { timeoutMs: 300_000, memoryMb: 1_024 };

// The worker runs as .ts from the sources and as .js from the package.
const WORKER = new URL(`./extraction-worker${extname(import.meta.filename)}`, import.meta.url);

/** The built-in extractor beside the event loop, in a thread of its own that is kept for the next document. */
export function createThreadExtractor(
  name: string,
  limits: Partial<ExtractionLimits> = {},
): GraphExtractor & { close(): Promise<void> } {
  const { timeoutMs, memoryMb } = { ...defaultLimits, ...limits };
  let idle: Worker | undefined;
  const all = new Set<Worker>();

  const start = (): Worker => {
    const worker = new Worker(WORKER, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    // An idle thread must not keep a finished program alive.
    worker.unref();
    all.add(worker);
    worker.once('exit', () => {
      all.delete(worker);
      if (idle === worker) idle = undefined;
    });
    return worker;
  };

  return {
    name,
    async extract(document, signal) {
      if (signal.aborted) throw new ServiceError('cancelled', 'The extraction was stopped.');
      const worker = idle ?? start();
      idle = undefined;
      worker.ref();
      const graph = await ask(worker, document, { signal, timeoutMs });
      worker.unref();
      idle ??= worker;
      return graph;
    },
    async close() {
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

function ask(
  worker: Worker,
  document: Parameters<GraphExtractor['extract']>[0],
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<ExtractedGraph> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      act();
    };
    const stop = (error: ServiceError) =>
      settle(() => {
        void worker.terminate();
        reject(error);
      });
    const failed = (reason: string, cause?: unknown) =>
      new ServiceError('internal', `Extracting the graph of "${document.title}" failed: ${reason}.`, { cause });
    const onMessage = (reply: ExtractionReply) => {
      if (reply.kind === 'extracted') settle(() => resolve(reply.graph));
      else stop(failed(reply.reason));
    };
    const onAbort = () => stop(new ServiceError('cancelled', 'The extraction was stopped.'));
    const onError = (error: Error) => stop(failed(error.message, error));
    const onExit = () => stop(failed('the thread ended'));
    const timer = setTimeout(() => {
      const seconds = Math.round(timeoutMs / 1000);
      stop(new ServiceError('timeout', `Extracting the graph of "${document.title}" took more than ${seconds} s.`));
    }, timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(document);
  });
}
