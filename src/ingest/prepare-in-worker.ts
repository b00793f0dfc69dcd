import { type ChildProcess, fork } from 'node:child_process';
import pLimit from 'p-limit';
import { ServiceError } from '../errors.ts';
import type { Transcriber } from '../models/transcriber.ts';
import { programFile } from '../program-file.ts';
import { onAbort, raceAbort } from '../shared/abort.ts';
import type { DocumentReaders } from './document-readers.ts';
import { ReaderEnded } from './failure-kind.ts';
import type { ImageReaderReply } from './image-reader-requests.ts';
import { type ImageReaderRequest, type ImageReaderSource, imageReaderChoice } from './image-reader-source.ts';
import type { ProcessReply } from './preparation-process.ts';
import type { ToPreparation } from './preparation-worker.ts';
import type { Picture } from './readers/image/image-reader.ts';
import type { ReadingResults, ReadingTask } from './reading-task.ts';
import { removeTransferFile, type SubmittedTask, sendTask, type TransferredTask } from './task-transfer.ts';
import { transcribeRecording } from './transcribe-recording.ts';

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

/** An idle worker is ended after this time to free its memory. */
const IDLE_MS = 60_000;

export function createPreparationWorkers(settings: Partial<PreparationSettings> = {}): DocumentReaders {
  const pool = createReaderPool(settings);
  const transcribing = pLimit(settings.workers ?? defaultLimits.workers);
  return {
    readsImages: settings.imageReader !== undefined,
    readsRecordings: settings.transcriber !== undefined,
    maxFileBytes: settings.maxFileBytes,
    async prepare(given, signal) {
      const job = await transcribing(() => transcribeRecording(given, settings.transcriber, signal));
      return pool.run({ kind: 'document', job }, { name: job.fileName, advice: ' Split the file.', signal });
    },
    close: pool.close,
  };
}

/** What is read, for error messages. */
interface Subject {
  readonly name: string;
  /** What to do if reading exceeds a limit; begins with a space, or is empty. */
  readonly advice: string;
}

export interface ReaderPool {
  /** Throws ServiceError: the reader's own errors, `timeout`, `too_large`, `cancelled`. */
  run<Kind extends ReadingTask['kind']>(
    task: Extract<SubmittedTask, { kind: Kind }>,
    options: Subject & { readonly signal: AbortSignal },
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
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  const all = new Set<ChildProcess>();
  let isClosed = false;

  const start = (): ChildProcess => {
    const worker = fork(programFile('./preparation-process.ts', import.meta), [String(memoryMb)], {
      execArgv: [],
      serialization: 'advanced',
      // V8's crash output is discarded.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    all.add(worker);
    worker.once('exit', () => {
      all.delete(worker);
      forget(worker);
    });
    // Without a listener, a process that cannot be started would crash the service.
    worker.on('error', () => all.delete(worker));
    return worker;
  };
  const forget = (worker: ChildProcess) => {
    clearTimeout(idle.get(worker));
    idle.delete(worker);
  };
  const take = (): ChildProcess => {
    const worker = [...idle.keys()].find(({ connected }) => connected);
    if (worker === undefined) return start();
    forget(worker);
    setHeld(worker, true);
    return worker;
  };
  const markIdle = (worker: ChildProcess) => {
    setHeld(worker, false);
    const end = () => {
      // Forgotten first, so that it gets no further task before it has exited.
      forget(worker);
      worker.kill('SIGKILL');
    };
    idle.set(worker, setTimeout(end, IDLE_MS).unref());
  };

  return {
    run: <Kind extends ReadingTask['kind']>(
      task: Extract<SubmittedTask, { kind: Kind }>,
      options: Subject & { readonly signal: AbortSignal },
    ) => {
      const reading = limit(async () => {
        if (isClosed || options.signal.aborted) throw cancelled(options);
        const transferred = await sendTask(task, folder);
        const limits = { timeoutMs: timeLimitOf(timeoutMs, transferred.sizeInBytes), imageReader };
        // Sending may have taken long; a process started now would outlive the closed pool.
        if (isClosed) return removeTransferFile(transferred).then(() => Promise.reject(cancelled(options)));
        const worker = take();
        const asked = ask(worker, transferred, { ...options, ...limits });
        const reply = await asked.finally(() => removeTransferFile(transferred));
        if (reply.kind === 'ended') {
          worker.kill('SIGKILL');
          throw ended(options, reply);
        }
        markIdle(worker);
        if (reply.kind === 'refused') {
          throw reply.cause ?? new ServiceError(reply.code, reply.message, { unread: reply.unread });
        }
        // The reply to a task holds the result for the kind of that task.
        return reply.result as ReadingResults[Kind];
      });
      // A task that still waits for a process is rejected immediately.
      return raceAbort(reading, options.signal, () => cancelled(options));
    },
    async close() {
      isClosed = true;
      await Promise.all(
        [...all].map((worker) => {
          const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
          // A process with a job must keep the program alive.
          setHeld(worker, true);
          worker.kill('SIGKILL');
          return gone;
        }),
      );
    },
  };
}

/** An idle process must not keep a finished program alive. */
function setHeld(worker: ChildProcess, isHeld: boolean): void {
  if (isHeld) {
    worker.ref();
    worker.channel?.ref();
  } else {
    worker.unref();
    worker.channel?.unref();
  }
}

const cancelled = ({ name }: Subject): ServiceError => new ServiceError('cancelled', `Reading ${name} was stopped.`);

interface AskOptions extends Subject {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly imageReader: ImageReaderSource | undefined;
}

/** The final reply to a job; `cause` is the full error when a picture could not be read. */
type FinalReply = Exclude<ProcessReply, ImageReaderRequest> & { readonly cause?: ServiceError };

function ask(worker: ChildProcess, transferred: TransferredTask, options: AskOptions): Promise<FinalReply> {
  const { signal, timeoutMs, imageReader } = options;
  return new Promise((resolve, reject) => {
    let failure: ServiceError | undefined;
    let stopListening = () => {};
    const reading = new AbortController();
    const settle = (act: () => void) => {
      clearTimeout(timer);
      reading.abort();
      stopListening();
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      act();
    };
    const stop = (error: ServiceError) =>
      settle(() => {
        // The process may be in a loop that handles no messages, so it is killed.
        worker.kill('SIGKILL');
        reject(error);
      });
    const onMessage = (message: unknown) => {
      const reply = message as ProcessReply;
      if (reply.kind === 'read_image') void readForWorker(reply);
      else if (reply.kind === 'reading_image') startTimer();
      else settle(() => resolve(failure?.message === messageOf(reply) ? { ...reply, cause: failure } : reply));
    };
    /** Pauses the job's time limit while the service reads a picture for it. */
    const readForWorker = async ({ number, picture }: Extract<ImageReaderRequest, { kind: 'read_image' }>) => {
      clearTimeout(timer);
      const answer = await readPicture(imageReader, picture, reading.signal);
      if (reading.signal.aborted) return;
      startTimer();
      if (answer.kind === 'image_failed') failure = answer.error;
      const reply: ImageReaderReply =
        answer.kind === 'image_text'
          ? { kind: 'image_text', number, text: answer.text }
          : { kind: 'image_failed', number, code: answer.error.code, message: answer.error.message };
      worker.send({ ...reply }, () => undefined);
    };
    const onError = (error: Error) => stop(new ReaderEnded(options.name, error.message, { cause: error }));
    const onExit = (code: number | null, by: NodeJS.Signals | null) =>
      settle(() =>
        resolve({
          kind: 'ended',
          because: by === 'SIGABRT' || code === ABORTED ? 'memory' : 'crash',
          message: `its reader ended (${by ?? code})`,
        }),
      );
    let timer: NodeJS.Timeout | undefined;
    const startTimer = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const seconds = Math.round(timeoutMs / 1000);
        stop(
          new ServiceError(
            'timeout',
            `Reading ${options.name} took more than ${seconds} s and was stopped.${options.advice}`,
          ),
        );
      }, timeoutMs);
    };
    startTimer();
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    stopListening = onAbort(signal, () => stop(cancelled(options)));
    const request: ToPreparation = { kind: 'read', transferred, imageReader: imageReaderChoice(imageReader) };
    worker.send({ ...request }, (error) => {
      if (error !== null) onError(error);
    });
  });
}

const messageOf = (reply: ProcessReply): string => ('message' in reply ? reply.message : '');

type ImageReply =
  | { readonly kind: 'image_text'; readonly text: string }
  | { readonly kind: 'image_failed'; readonly error: ServiceError };

async function readPicture(
  source: ImageReaderSource | undefined,
  picture: Picture,
  signal: AbortSignal,
): Promise<ImageReply> {
  try {
    if (source?.kind !== 'remote') throw new ServiceError('not_configured', 'No image reader is configured.');
    return { kind: 'image_text', text: await source.readImage(picture, signal) };
  } catch (error) {
    if (error instanceof ServiceError) return { kind: 'image_failed', error };
    return {
      kind: 'image_failed',
      error: new ServiceError('internal', `${picture.fileName} could not be read.`, { cause: error }),
    };
  }
}

/** Exit code of a process that V8 ended for lack of memory, on systems that report no signal. */
const ABORTED = 134;

function ended(
  { name, advice }: Subject,
  { because, message }: Extract<ProcessReply, { kind: 'ended' }>,
): ServiceError {
  if (because === 'crash') return new ReaderEnded(name, message);
  return new ServiceError('too_large', `Reading ${name} needs more memory than one document may take.${advice}`);
}
