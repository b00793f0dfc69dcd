import type { ChildProcess } from 'node:child_process';
import { ServiceError } from '../errors.ts';
import { onAbort } from '../shared/abort.ts';
import { ReaderEnded } from './failure-kind.ts';
import type { ImageReaderReply } from './image-reader-requests.ts';
import { type ImageReaderRequest, type ImageReaderSource, imageReaderChoice } from './image-reader-source.ts';
import type { ProcessReply } from './preparation-process.ts';
import type { ToPreparation } from './preparation-worker.ts';
import type { Picture } from './readers/image/image-reader.ts';
import type { TransferredTask } from './task-transfer.ts';

/** What is read, for error messages. */
export interface ReadingSubject {
  readonly name: string;
  /** What to do if reading exceeds a limit; begins with a space, or is empty. */
  readonly advice: string;
}

interface AskOptions extends ReadingSubject {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly imageReader: ImageReaderSource | undefined;
}

/** The final reply to a job; `cause` is the full error when a picture could not be read. */
type FinalReply = Exclude<ProcessReply, ImageReaderRequest> & { readonly cause?: ServiceError };

/** Sends a task to a reader process and waits for its final reply. Kills the process on timeout, abort or error. */
export function askReader(
  worker: ChildProcess,
  transferred: TransferredTask,
  options: AskOptions,
): Promise<FinalReply> {
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
    stopListening = onAbort(signal, () => stop(readingStopped(options)));
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

/** The error of a task whose reader process ended without a result. */
export function readingEnded(
  { name, advice }: ReadingSubject,
  { because, message }: Extract<ProcessReply, { kind: 'ended' }>,
): ServiceError {
  if (because === 'crash') return new ReaderEnded(name, message);
  return new ServiceError('too_large', `Reading ${name} needs more memory than one document may take.${advice}`);
}

/** The error of a task that its caller or the end of the service stopped. */
export const readingStopped = ({ name }: Pick<ReadingSubject, 'name'>): ServiceError =>
  new ServiceError('cancelled', `Reading ${name} was stopped.`);
