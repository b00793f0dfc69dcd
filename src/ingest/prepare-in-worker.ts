import { fork } from 'node:child_process';
import pLimit from 'p-limit';
import { ServiceError } from '../errors.ts';
import type { Transcriber } from '../models/transcriber.ts';
import { programFile } from '../program-file.ts';
import { raceAbort } from '../shared/abort.ts';
import { askReader, type ReadingSubject, readingEnded, readingStopped } from './ask-reader.ts';
import type { DocumentReaders } from './document-readers.ts';
import type { ImageReaderSource } from './image-reader-source.ts';
import { createReaderProcesses } from './reader-processes.ts';
import type { ReadingResults, ReadingTask } from './reading-task.ts';
import { removeTransferFile, type SubmittedTask, sendTask } from './task-transfer.ts';
import { createTranscription } from './transcribe-recordings.ts';

export interface PreparationLimits {
  /** Documents read concurrently. */
  readonly workers: number;
  /** Time for a document of up to 10 MB; larger ones get more (`timeLimitOf`). */
  readonly timeoutMs: number;
  /** Memory limit per worker, including buffers. */
  readonly memoryMb: number;
}

export interface PreparationSettings extends PreparationLimits {
  /** Reads pictures; if absent, pictures are rejected. */
  readonly imageReader?: ImageReaderSource | undefined;
  /** Turns recordings into text; if absent, recordings are rejected. */
  readonly transcriber?: Transcriber | undefined;
  /** See DocumentReaders. */
  readonly maxFileBytes?: number | undefined;
  /** Folder through which large files are passed to the reader processes; if absent, they are sent as messages. */
  readonly folder?: string | undefined;
}

const defaultLimits: PreparationLimits = { workers: 2, timeoutMs: 120_000, memoryMb: 1_024 };

/** More than a megabyte of text takes on a machine that is busy and slow. */
const MS_PER_MEGABYTE = 1_000;

const MEGABYTES_WITHIN_TIMEOUT = 10;

/** How long reading this many bytes may take, in milliseconds. */
const timeLimitOf = (timeoutMs: number, bytes: number): number =>
  timeoutMs + Math.max(0, Math.floor(bytes / 1_000_000) - MEGABYTES_WITHIN_TIMEOUT) * MS_PER_MEGABYTE;

export function createPreparationWorkers(settings: Partial<PreparationSettings> = {}): DocumentReaders {
  const pool = createReaderPool(settings);
  const transcribe = createTranscription(settings.transcriber, settings.workers ?? defaultLimits.workers);
  return {
    readsImages: settings.imageReader !== undefined,
    readsRecordings: settings.transcriber !== undefined,
    maxFileBytes: settings.maxFileBytes,
    async prepare(given, signal) {
      const job = await transcribe(given, signal);
      return pool.run({ kind: 'document', job }, { name: job.fileName, advice: ' Split the file.', signal });
    },
    close: pool.close,
  };
}

export interface ReaderPool {
  /** Throws ServiceError: the reader's own errors, `timeout`, `too_large`, `cancelled`. */
  run<Kind extends ReadingTask['kind']>(
    task: Extract<SubmittedTask, { kind: Kind }>,
    options: ReadingSubject & { readonly signal: AbortSignal },
  ): Promise<ReadingResults[Kind]>;
  close(): Promise<void>;
}

/**
 * A pool of processes that read files and pages. These are untrusted: one that makes a reader loop, exhaust its memory
 * or crash ends only its own process. A thread would not suffice: V8 ends the whole process when a single allocation
 * in a thread fails, whatever limit the thread has. An intact process is reused.
 */
export function createReaderPool(settings: Partial<PreparationSettings> = {}): ReaderPool {
  const { workers, timeoutMs, memoryMb, imageReader, folder } = { ...defaultLimits, ...settings };
  const limit = pLimit(workers);
  const processes = createReaderProcesses(() =>
    fork(programFile('./preparation-process.ts', import.meta), [String(memoryMb)], {
      execArgv: [],
      serialization: 'advanced',
      // V8's crash output is discarded.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // A separate process group: Ctrl-C in the terminal must reach only this process, which finishes the documents.
      detached: process.platform !== 'win32',
    }),
  );

  return {
    run: <Kind extends ReadingTask['kind']>(
      task: Extract<SubmittedTask, { kind: Kind }>,
      options: ReadingSubject & { readonly signal: AbortSignal },
    ) => {
      const reading = limit(async () => {
        if (options.signal.aborted) throw readingStopped(options);
        const transferred = await sendTask(task, folder);
        const limits = { timeoutMs: timeLimitOf(timeoutMs, transferred.sizeInBytes), imageReader };
        const worker = await processes.take();
        if (worker === undefined || options.signal.aborted) {
          if (worker !== undefined) processes.giveBack(worker);
          await removeTransferFile(transferred);
          throw readingStopped(options);
        }
        const asked = askReader(worker, transferred, { ...options, ...limits });
        const reply = await asked.finally(() => removeTransferFile(transferred));
        if (reply.kind === 'ended') {
          worker.kill('SIGKILL');
          throw readingEnded(options, reply);
        }
        processes.giveBack(worker);
        if (reply.kind === 'refused') {
          throw reply.cause ?? new ServiceError(reply.code, reply.message, { unread: reply.unread });
        }
        // The reply to a task holds the result for the kind of that task.
        return reply.result as ReadingResults[Kind];
      });
      // A task that still waits for a process is rejected immediately.
      return raceAbort(reading, options.signal, () => readingStopped(options));
    },
    close: processes.close,
  };
}
