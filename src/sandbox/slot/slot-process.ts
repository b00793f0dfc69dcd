/**
 * Entry point of a slot: one process, one isolate, one Python interpreter. The first frame configures it; it reports
 * when it is ready and then answers one request at a time. It ends with its parent, when it exceeds its memory limit, and
 * after any fault.
 */
import { createRequire } from 'node:module';
import type ivm from 'isolated-vm';
import { bootIsolate, type LockedPython } from './boot-isolate.ts';
import { encodeFrame, FrameReader } from './frames.ts';
import type { Printed, SlotFault, SlotMessage, SlotRequest, SlotStart } from './slot-messages.ts';

const WATCH_EVERY_MS = 20;
/** User id to switch to; must match the probe in reduced-rights.ts. */
const NOBODY_UID = 65_534;
const MAX_REQUEST_LENGTH = 128_000_000;

const output = process.stdout;
const send = (message: SlotMessage): void => {
  output.write(encodeFrame(JSON.stringify(message)));
};
const killSelf = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

function giveUp(fault: SlotFault, error: unknown, printed?: Printed): void {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const message: SlotMessage = { kind: 'fault', fault, detail: detail.slice(0, 4_000), ...(printed && { printed }) };
  output.write(encodeFrame(JSON.stringify(message)), killSelf);
}

async function begin(start: SlotStart): Promise<LockedPython | undefined> {
  // The isolate runs in its own thread, so this one can watch the memory.
  setInterval(() => {
    if (residentBytes() <= start.residentBytes) return;
    setTimeout(killSelf, WATCH_EVERY_MS);
    giveUp('memory', `The process took more than ${start.residentBytes} bytes.`);
  }, WATCH_EVERY_MS);
  const binding: { ivm: typeof ivm } = createRequire(import.meta.url)(start.binding);
  const python = await bootIsolate(binding.ivm, start);
  if (start.makesSnapshot) {
    const snapshot = await python.snapshot();
    send({ kind: 'snapshot' });
    output.write(encodeFrame(snapshot));
    return undefined;
  }
  const locked = await python.lock();
  dropRoot();
  send({ kind: 'ready' });
  return locked;
}

/**
 * Switches from root to an unprivileged user, after all files were read, since that user may not be allowed to read
 * them. Has no effect under bubblewrap, where no other user is mapped.
 */
function dropRoot(): void {
  if (process.getuid?.() !== 0) return;
  try {
    process.setgroups?.([]);
    process.setgid?.(NOBODY_UID);
    process.setuid?.(NOBODY_UID);
  } catch {
    // `citewell doctor` tests and reports this.
  }
}

/** 0 if the system does not report it, for example without /proc; the parent process monitors memory as well. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

async function answer(python: LockedPython, { request, milliseconds }: SlotRequest): Promise<void> {
  try {
    send({ kind: 'reply', reply: await python.ask(request, milliseconds) });
  } catch (error) {
    const fault = faultOf(error);
    // The isolate survives its time limit, but not the others.
    giveUp(fault, error, fault === 'timeout' ? await python.printed().catch(() => undefined) : undefined);
  }
}

function faultOf(error: unknown): SlotFault {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes('timed out')) return 'timeout';
  return /memory limit|allocation failed|out of memory/i.test(message) ? 'memory' : 'crash';
}

const reader = new FrameReader(MAX_REQUEST_LENGTH);
let python: Promise<LockedPython | undefined> | undefined;
process.stdin.on('close', killSelf).on('error', killSelf);
process.stdin.on('data', (piece: Buffer) => {
  for (const frame of reader.read(piece)) {
    const message: unknown = JSON.parse(frame.toString());
    if (python === undefined) {
      python = begin(message as SlotStart);
      python.catch((error: unknown) => giveUp('start', error));
    } else {
      void python.then((ready) => ready && answer(ready, message as SlotRequest));
    }
  }
});
