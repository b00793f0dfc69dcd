import { Worker } from 'node:worker_threads';
import { ServiceError } from '../errors.ts';
import { programFile } from '../program-file.ts';
import { onAbort } from '../shared/abort.ts';
import type { InferenceReply, InferenceRequest, InferenceSetup } from './inference-worker.ts';
import { findModelFolder, isTokenVectors, modelVersion, readModelFolder } from './model-folder.ts';
import { findRuntime } from './onnx-runtime.ts';
import type { Pooling } from './pooling.ts';

/** A local model that ONNX Runtime runs in a worker thread, which starts on first use and ends when idle. */
export interface LocalInference {
  /** A hash of the files that affect results. Throws `not_configured`. */
  version(): Promise<string>;
  /** One vector per text, not normalised. */
  embed(texts: readonly string[], pooling: Pooling, signal?: AbortSignal): Promise<readonly Float32Array[]>;
  /** How well each text answers the query, from 0 to 1. */
  score(query: string, texts: readonly string[], signal?: AbortSignal): Promise<readonly number[]>;
}

export interface LocalInferenceOptions {
  /** A folder, or the name of an installed model. */
  readonly model: string;
  readonly modelsFolder: string;
  readonly idleMs?: number;
}

// A loaded model holds 100 to 700 MB, and loading takes about a second.
const IDLE_MS = 10 * 60_000;

type Question =
  Exclude<InferenceRequest, { readonly kind: 'cancel' }> extends infer Each
    ? Each extends unknown
      ? Omit<Each, 'id'>
      : never
    : never;

interface Running {
  readonly worker: Worker;
  readonly pending: Map<number, PromiseWithResolvers<readonly Float32Array[]>>;
}

export function openInference({ model, modelsFolder, idleMs = IDLE_MS }: LocalInferenceOptions): LocalInference {
  let started: Promise<Running> | undefined;
  let lastId = 0;
  let idle: NodeJS.Timeout | undefined;

  const failed = (reason: string, cause?: unknown): ServiceError =>
    new ServiceError('provider_failed', `The local model "${model}" failed: ${reason}.`, { cause });

  async function start(): Promise<Running> {
    const runtime = findRuntime(modelsFolder);
    const folder = findModelFolder(model, modelsFolder);
    if (isTokenVectors(model, modelsFolder)) {
      throw new ServiceError(
        'not_configured',
        `The local model "${model}" has token vectors, which only embed. Restart Citewell if the model was installed while it ran.`,
      );
    }
    if (runtime === undefined) {
      throw new ServiceError(
        'not_configured',
        `Local models need ONNX Runtime, which is not installed. Run: citewell models install ${model}`,
      );
    }
    const setup: InferenceSetup = { model: await readModelFolder(folder), runtime };
    const worker = new Worker(programFile('./inference-worker.ts', import.meta), { execArgv: [], workerData: setup });
    worker.unref();
    const running: Running = { worker, pending: new Map() };
    const end = (error: ServiceError) => {
      // May be called for a thread that has already been replaced.
      void started?.then((current) => {
        if (current === running) started = undefined;
      });
      void worker.terminate();
      for (const { reject } of running.pending.values()) reject(error);
      running.pending.clear();
    };
    worker.on('message', (reply: InferenceReply) => {
      if (reply.kind === 'unusable') return end(failed(reply.reason));
      const waiting = running.pending.get(reply.id);
      running.pending.delete(reply.id);
      if (reply.kind === 'done') waiting?.resolve(reply.rows);
      else waiting?.reject(failed(reply.reason));
      if (running.pending.size > 0) return;
      worker.unref();
      idle = setTimeout(() => end(failed('it was idle')), idleMs).unref();
    });
    worker.on('error', (error) => end(failed(error.message, error)));
    worker.on('exit', () => end(failed('its thread ended')));
    return running;
  }

  // A failed start is not kept: the model may be installed while the service runs.
  const running = (): Promise<Running> => {
    started ??= start().catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };

  async function ask(question: Question, signal: AbortSignal | undefined): Promise<readonly Float32Array[]> {
    const cancelled = () => new ServiceError('cancelled', 'The request was cancelled.');
    if (signal?.aborted) throw cancelled();
    clearTimeout(idle);
    const { worker, pending } = await running();
    worker.ref();
    const id = ++lastId;
    const reply = Promise.withResolvers<readonly Float32Array[]>();
    pending.set(id, reply);
    const stopListening = onAbort(signal, () => {
      reply.reject(cancelled());
      worker.postMessage({ id, kind: 'cancel' } satisfies InferenceRequest);
    });
    worker.postMessage({ ...question, id } satisfies InferenceRequest);
    return reply.promise.finally(stopListening);
  }

  return {
    version: async () => modelVersion(await readModelFolder(findModelFolder(model, modelsFolder))),
    embed: (texts, pooling, signal) => ask({ kind: 'embed', texts, pooling }, signal),
    async score(query, texts, signal) {
      const rows = await ask({ kind: 'score', query, texts }, signal);
      return rows.map(([relevance]) => relevance ?? 0);
    },
  };
}
