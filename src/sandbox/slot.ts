import { type ChildProcess, spawn } from 'node:child_process';
import { z } from 'zod';
import { onAbort } from '../shared/abort.ts';
import type { SlotCommand } from './outer-layers.ts';
import { lowerTreePriority, treeResidentBytes } from './process-tree.ts';
import { encodeFrame, FrameReader } from './slot/frames.ts';
import type { Printed, SlotRequest, SlotStart } from './slot/slot-messages.ts';

/** A child process with one Python interpreter. */
export interface Slot {
  readonly pid: number;
  /** One request at a time. After anything but a reply the slot has ended. */
  ask(request: SlotRequest, signal: AbortSignal): Promise<SlotAnswer>;
  /** Kills it immediately. */
  end(): void;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
}

export type SlotAnswer =
  /** Untrusted text from the guest. */
  | { readonly kind: 'reply'; readonly text: string }
  | { readonly kind: 'timeout' | 'memory' | 'crash'; readonly detail: string; readonly printed?: Printed | undefined };

export interface SlotOptions {
  readonly command: SlotCommand;
  readonly start: SlotStart;
  readonly maxReplyLength: number;
  readonly residentBytes: number;
}

/** A slot that has not been started yet, or is starting. */
export interface StartingSlot {
  /** Whether a call waits for it; may become true later. */
  readonly isAwaited: boolean;
}

/** The slot ended before it was ready; the message contains the end of its stderr. */
export class SlotFailure extends Error {
  override readonly name = 'SlotFailure';
}

const START_LIMIT_MS = 90_000;
/** Time after the isolate's own time limit before the process is killed. */
const TIMEOUT_GRACE_MS = 1_000;
const WATCH_EVERY_MS = 50;
const STDERR_TAIL_CHARACTERS = 2_000;
const MAX_SNAPSHOT_LENGTH = 400_000_000;

/**
 * Starts a slot and waits until it is ready; code runs in it at a lower priority. It also starts at that priority unless
 * a call awaits it. Throws SlotFailure.
 */
export async function startSlot(options: SlotOptions, { isAwaited }: StartingSlot): Promise<Slot> {
  const child = launch(options, options.maxReplyLength);
  if (!isAwaited) child.lowerPriority();
  const first = await child.next(START_LIMIT_MS);
  if (first.kind !== 'message' || first.message.kind !== 'ready') throw await failure(child, first);
  child.lowerPriority();
  return {
    pid: child.pid,
    ended: child.ended,
    end: child.end,
    async ask(request, signal) {
      const stopListening = onAbort(signal, child.end);
      try {
        signal.throwIfAborted();
        child.send(request);
        const answer = toAnswer(await child.next(request.milliseconds + TIMEOUT_GRACE_MS), request);
        signal.throwIfAborted();
        if (answer.kind !== 'reply') child.end();
        return answer;
      } finally {
        stopListening();
      }
    },
  };
}

/** Starts Python from scratch and returns its memory. Keeps its priority, since calls wait for it. Throws SlotFailure. */
export async function takeSnapshot(options: SlotOptions): Promise<Buffer> {
  const child = launch(options, MAX_SNAPSHOT_LENGTH);
  try {
    const first = await child.next(START_LIMIT_MS);
    if (first.kind !== 'message' || first.message.kind !== 'snapshot') throw await failure(child, first);
    const second = await child.next(START_LIMIT_MS);
    if (second.kind !== 'raw') throw await failure(child, second);
    return second.bytes;
  } finally {
    child.end();
    await child.ended;
  }
}

type NextMessage =
  | { readonly kind: 'message'; readonly message: z.output<typeof slotMessage> }
  | { readonly kind: 'raw'; readonly bytes: Buffer }
  | { readonly kind: 'late' | 'too_large' | 'garbled' }
  | { readonly kind: 'ended'; readonly output: string };

// Messages of a slot are untrusted, because guest code may have taken control of its process.
const slotMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('snapshot') }),
  z.object({ kind: z.literal('reply'), reply: z.string() }),
  z.object({
    kind: z.literal('fault'),
    fault: z.enum(['timeout', 'memory', 'crash', 'start']),
    detail: z.string().max(8_000),
    printed: z.object({ stdout: z.string(), stderr: z.string() }).optional(),
  }),
]);

function toAnswer(next: NextMessage, { milliseconds }: SlotRequest): SlotAnswer {
  switch (next.kind) {
    case 'message':
      if (next.message.kind === 'reply') return { kind: 'reply', text: next.message.reply };
      if (next.message.kind !== 'fault')
        return { kind: 'crash', detail: 'The sandbox process sent an unexpected message.' };
      return {
        kind: next.message.fault === 'start' ? 'crash' : next.message.fault,
        detail: next.message.detail,
        printed: next.message.printed,
      };
    case 'late':
      return { kind: 'timeout', detail: `It did not end within ${milliseconds} ms and was killed.` };
    case 'too_large':
      return { kind: 'memory', detail: 'Its memory or its reply grew beyond the limit.' };
    case 'ended':
      return { kind: ranOutOfMemory(next.output) ? 'memory' : 'crash', detail: next.output };
    case 'raw':
    case 'garbled':
      return { kind: 'crash', detail: 'The sandbox process sent an unreadable message.' };
  }
}

const ranOutOfMemory = (output: string): boolean => /out of memory|heap limit|allocation failed/i.test(output);

async function failure(child: Child, next: NextMessage): Promise<SlotFailure> {
  child.end();
  await child.ended;
  if (next.kind === 'message' && next.message.kind === 'fault') return new SlotFailure(next.message.detail);
  if (next.kind === 'late') return new SlotFailure(`It was not ready within ${START_LIMIT_MS / 1000} s.`);
  return new SlotFailure(
    next.kind === 'ended' ? next.output || 'It ended without output.' : `Unexpected message: ${next.kind}.`,
  );
}

interface Child {
  readonly pid: number;
  readonly ended: Promise<void>;
  send(message: SlotRequest | SlotStart): void;
  /** The next message; `late` if none arrives within this time. Monitors the memory while waiting. */
  next(milliseconds: number): Promise<NextMessage>;
  lowerPriority(): void;
  end(): void;
}

function launch({ command, start, residentBytes }: SlotOptions, maxFrameLength: number): Child {
  const child = spawn(command.program, [...command.args], {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    // A separate process group, so that Ctrl-C in the terminal reaches only the parent, which handles it.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const reader = new FrameReader(maxFrameLength);
  const received: NextMessage[] = [];
  let expectsRaw = false;
  let listener: ((next: NextMessage) => void) | undefined;
  const deliver = (next: NextMessage): void => {
    if (listener === undefined) received.push(next);
    else listener(next);
  };
  child.stdout.on('data', (piece: Buffer) => {
    try {
      for (const frame of reader.read(piece)) {
        const next: NextMessage = expectsRaw ? { kind: 'raw', bytes: frame } : readMessage(frame);
        expectsRaw = next.kind === 'message' && next.message.kind === 'snapshot';
        deliver(next);
      }
    } catch {
      child.stdout.destroy();
      deliver({ kind: 'too_large' });
    }
  });
  const output = keepStderrTail(child);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const onEnd = (reason: string): void => {
    resolve();
    deliver({ kind: 'ended', output: output() || reason });
  };
  child.once('error', (error) => onEnd(error.message));
  child.once('close', (code, signal) => onEnd(`It ended with ${signal ?? `code ${code}`}.`));
  // Writing to a process that has ended fails; this is expected.
  child.stdin.on('error', () => undefined);
  const send = (message: SlotRequest | SlotStart): void => {
    child.stdin.write(encodeFrame(JSON.stringify(message)));
  };
  send(start);

  return {
    pid: child.pid ?? 0,
    ended,
    send,
    lowerPriority() {
      if (child.pid !== undefined) lowerTreePriority(child.pid);
    },
    end: () => killGroup(child),
    async next(milliseconds) {
      const { promise, resolve: resolveNext } = Promise.withResolvers<NextMessage>();
      const waiting = received.shift();
      if (waiting !== undefined) return waiting;
      listener = resolveNext;
      const timer = setTimeout(() => resolveNext({ kind: 'late' }), milliseconds);
      const watch = setInterval(() => {
        if (child.pid !== undefined && treeResidentBytes(child.pid) > residentBytes) resolveNext({ kind: 'too_large' });
      }, WATCH_EVERY_MS);
      try {
        return await promise;
      } finally {
        listener = undefined;
        clearTimeout(timer);
        clearInterval(watch);
      }
    },
  };
}

function readMessage(frame: Buffer): NextMessage {
  try {
    return { kind: 'message', message: slotMessage.parse(JSON.parse(frame.toString())) };
  } catch {
    return { kind: 'garbled' };
  }
}

function keepStderrTail(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-STDERR_TAIL_CHARACTERS);
  });
  return () => tail.trim();
}

/** Kills the whole process group, because under bubblewrap the slot is a grandchild. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}
