import { ServiceError } from '../errors.ts';
import { KeptFiles, type KeptFolder } from './kept-files.ts';
import { SlotPool } from './pool.ts';
import { isSafeName, readReply } from './read-reply.ts';
import type { PythonRequest, PythonResult, Sandbox, SandboxFile, SandboxLimits } from './sandbox.ts';
import type { Printed } from './slot/slot-messages.ts';
import { type Slot, type SlotAnswer, SlotFailure } from './slot.ts';
import { createStarter, type StarterOptions } from './slot-starter.ts';

/** Runs Python in isolates, each in its own process. Nothing is started before the first call. */
export function createPythonSandbox(options: StarterOptions): Sandbox & { readonly size: number } {
  const { limits } = options;
  const pool = new SlotPool<Slot>({
    ...limits,
    start: createStarter(options),
    version: () => options.packages.version?.() ?? 0,
  });
  const kept = new KeptFiles({ sessionBytes: limits.keptBytes });
  return {
    limits,
    async run(request, signal) {
      const { session } = request;
      checkRequest(request, limits);
      signal.throwIfAborted();
      if (session !== undefined && request.reset === true) kept.forget(session);
      const milliseconds = request.milliseconds ?? Math.min(limits.milliseconds, limits.maxMilliseconds);
      const lease = await pool.lease(request, signal).catch((error: unknown) => {
        throw error instanceof SlotFailure ? cannotStart(error) : error;
      });
      // A call that ran while this one waited may have stored files again.
      if (session !== undefined && request.reset === true) kept.forget(session);
      const folder = session !== undefined && lease.isNew ? kept.get(session) : NOTHING_KEPT;
      const isKnown = session !== undefined && kept.has(session);
      let isUsable = false;
      const startedAt = performance.now();
      try {
        const answer = await lease.slot.ask({ request: encodeRequest(request, folder, isKnown), milliseconds }, signal);
        const { changes, ...result } = toResult(answer, limits, milliseconds);
        isUsable = !isFatal(result);
        if (!isUsable) options.report?.(`Python ended by ${result.end}.`);
        if (session !== undefined && changes !== undefined && lease.isCurrent()) {
          kept.update(session, changes, { isWhole: !isKnown });
        }
        const after = session === undefined || isUsable ? folder : kept.get(session);
        return {
          ...result,
          milliseconds: Math.round(performance.now() - startedAt),
          sessionLost: lease.sessionLost || (!isUsable && session !== undefined),
          restoredFiles: after.files.length,
          lostFiles: after.tooLarge,
        };
      } finally {
        lease.release(isUsable);
      }
    },
    get size() {
      return pool.size;
    },
    occupancy: () => pool.occupancy,
    close: () => pool.close(),
  };
}

const NOTHING_KEPT: KeptFolder = { files: [], tooLarge: [] };

/** Throws `too_large` or `invalid_request`. */
function checkRequest({ code, inputs, files, milliseconds }: PythonRequest, limits: SandboxLimits): void {
  if (code.length > limits.codeCharacters) {
    throw new ServiceError(
      'too_large',
      `The code has ${code.length} characters; at most ${limits.codeCharacters} are taken. Hand data in as files or inputs.`,
    );
  }
  if (milliseconds !== undefined && milliseconds > limits.maxMilliseconds) {
    throw new ServiceError('invalid_request', `At most ${limits.maxMilliseconds} ms are given to a call.`);
  }
  const unsafeFile = files.find(({ name }) => !isSafeName(name));
  if (unsafeFile !== undefined) {
    throw new ServiceError(
      'invalid_request',
      `${JSON.stringify(unsafeFile.name)} cannot be a file's name here: give a relative path such as data/sales.csv.`,
    );
  }
  const size = files.reduce((sum, { bytes }) => sum + bytes.byteLength, Buffer.byteLength(JSON.stringify(inputs)));
  if (size > limits.inputBytes) {
    throw new ServiceError('too_large', `Files and inputs have ${size} bytes; at most ${limits.inputBytes} are taken.`);
  }
}

/** `isKnown` tells the slot that its earlier reports are kept, so that it reports changes only. */
function encodeRequest({ code, inputs, files, session }: PythonRequest, folder: KeptFolder, isKnown: boolean): string {
  const encode = ({ name, bytes }: SandboxFile) => ({ name, base64: Buffer.from(bytes).toString('base64') });
  const keeps = session !== undefined;
  const restored = folder.files.map(encode);
  const text = JSON.stringify({ code, inputs, files: files.map(encode), restored, keeps, known: isKnown });
  // Escaped to ASCII, because a single wider character would multiply the size of the whole string in the slot.
  return files.length + restored.length === 0 ? text : text.replaceAll(/[\u0080-\uffff]+/g, escaped);
}

function escaped(text: string): string {
  let result = '';
  for (let at = 0; at < text.length; at++) result += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return result;
}

const isFatal = ({ end }: Pick<PythonResult, 'end'>): boolean =>
  end === 'timeout' || end === 'memory' || end === 'crash';

type Outcome = NonNullable<ReturnType<typeof readReply>>;

function toResult(answer: SlotAnswer, limits: SandboxLimits, milliseconds: number): Outcome {
  if (answer.kind !== 'reply') return ended(answer.kind, limits, milliseconds, answer.printed);
  const reply = readReply(answer.text, limits);
  if (reply === undefined) return ended('crash', limits, milliseconds);
  return reply.end === 'memory' || reply.end === 'crash' ? ended(reply.end, limits, milliseconds) : reply;
}

/** The result of a call whose code was terminated. */
function ended(
  end: 'timeout' | 'memory' | 'crash',
  limits: SandboxLimits,
  milliseconds: number,
  printed?: Printed,
): Outcome {
  const captured = (text = '') => {
    const shown = text.slice(0, limits.outputCharacters);
    return { text: shown, characters: text.length, isTruncated: shown.length < text.length };
  };
  const messages = {
    timeout: `The code ran longer than ${milliseconds / 1000} s and was ended.${printed ? '' : ' What it had printed is lost.'}`,
    memory: `The code took more memory than it is given (${limits.pythonMegabytes} MB) and was ended.`,
    crash: 'The interpreter broke down and was ended.',
  };
  const types = { timeout: 'TimeoutError', memory: 'MemoryError', crash: 'SystemError' };
  return {
    end,
    stdout: captured(printed?.stdout),
    stderr: captured(printed?.stderr),
    error: { type: types[end], message: messages[end], traceback: '' },
    files: [],
    skippedFiles: [],
  };
}

function cannotStart(cause: SlotFailure): ServiceError {
  const [line = ''] = cause.message.split('\n');
  return new ServiceError('not_configured', `Python cannot be started here: ${line.slice(0, 300)}`, { cause });
}
