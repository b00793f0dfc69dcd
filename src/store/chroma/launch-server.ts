import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { programFile } from '../../program-file.ts';

/** A native server that answers on a port of 127.0.0.1. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** Resolves when its process has ended, for any reason. */
  readonly ended: Promise<ServerEnd>;
  /** Stops the server, by force if necessary; resolves when the process is gone. */
  stop(): Promise<void>;
}

export interface ServerEnd {
  /** The end of its output. */
  readonly words: string;
  readonly signal: NodeJS.Signals | null;
}

export interface LaunchOptions {
  /** Path of a file `process.dlopen` accepts. */
  readonly binding: string;
  readonly folder: string;
  readonly readyWithinMs: number;
  /** Called as soon as the process exists, before the server answers. */
  onProcess(pid: number): Promise<void>;
  /** Aborts the start. */
  readonly signal: AbortSignal;
}

/** The server ended or did not answer in time after its start; the message includes the end of its output. */
export class LaunchFailure extends Error {
  override readonly name = 'LaunchFailure';
  readonly isPortTaken: boolean;

  constructor(message: string) {
    super(message);
    this.isPortTaken = /is not available|address (already )?in use/i.test(message);
  }
}

/** Starts a server on a free port and waits until it answers. Throws LaunchFailure. */
export async function launchServer(options: LaunchOptions): Promise<RunningServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launchOn(await freePort(), options);
    } catch (error) {
      // Another process may take the port after it was found free and before the server binds it.
      if (!(error instanceof LaunchFailure && error.isPortTaken && attempt < PORT_ATTEMPTS)) throw error;
    }
  }
}

const PORT_ATTEMPTS = 5;
const POLL_MS = 15;
const STOP_GRACE_MS = 1_600;
/** A second server on the same port ends well within this time. */
const PORT_COLLISION_GRACE_MS = 1_000;

async function launchOn(port: number, options: LaunchOptions): Promise<RunningServer> {
  const program = programFile('./server-process.ts', import.meta);
  const child = spawn(process.execPath, [program, options.binding, options.folder, String(port)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // A separate process group: Ctrl-C in the terminal must reach only this process, which may still need the index
    // while it shuts down.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const words = outputTail(child);
  const ended = endOf(child, words);
  const stop = (): Promise<void> => stopChild(child, ended);
  if (child.pid === undefined) throw new LaunchFailure((await ended).words);
  try {
    await options.onProcess(child.pid);
    await answered({ port, ended, words, ...options });
    guard(child.pid, ended);
    return { pid: child.pid, port, ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Starts a process that kills the server if this one dies. Normally the server detects that itself, but not while it is
 * suspended (SIGSTOP). A server that is still starting is not guarded: the start of another process would delay it.
 */
function guard(pid: number, ended: Promise<unknown>): void {
  if (process.platform === 'win32') return;
  const shell = spawn('/bin/sh', ['-c', GUARD, String(pid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // If no shell can be started, the next start ends a leftover server.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  void ended.then(() => shell.kill('SIGKILL'));
}

// Standard input closes when this process ends. Frequent polling rules out that the process id has been reused.
const GUARD = `
read -r _
for each in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  kill -0 "$0" 2>/dev/null || exit 0
  sleep 0.1
done
kill -KILL "$0"`;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new LaunchFailure('No port of 127.0.0.1 could be found.');
  return address.port;
}

const MAX_OUTPUT_CHARACTERS = 4_000;

/** The end of the server's output, in whole lines and without colours; its banner alone has some 2,000 characters. */
function outputTail(child: ChildProcess): () => string {
  let tail = '';
  const keep = (text: string): void => {
    tail += text;
    if (tail.length > MAX_OUTPUT_CHARACTERS)
      tail = tail.slice(tail.indexOf('\n', tail.length - MAX_OUTPUT_CHARACTERS) + 1);
  };
  child.stdout?.setEncoding('utf8').on('data', keep);
  child.stderr?.setEncoding('utf8').on('data', keep);
  return () => stripVTControlCharacters(tail).trim();
}

async function endOf(child: ChildProcess, words: () => string): Promise<ServerEnd> {
  // An error here means that no process was started; a write error after the process has ended is ignored.
  child.stdin?.on('error', () => undefined);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ words: error.message, signal: null }));
    child.once('close', (_code, signal) => resolve({ words: words(), signal }));
  });
}

async function stopChild(child: ChildProcess, ended: Promise<ServerEnd>): Promise<void> {
  child.stdin?.end();
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
  await ended;
  clearTimeout(force);
}

interface StartWaitParts {
  readonly port: number;
  readonly ended: Promise<ServerEnd>;
  readonly words: () => string;
  readonly readyWithinMs: number;
  readonly signal: AbortSignal;
}

async function answered({ port, ended, words, readyWithinMs, signal }: StartWaitParts): Promise<void> {
  const hasEnded = new AbortController();
  const isOver = AbortSignal.any([hasEnded.signal, signal]);
  const failed = ended.then((end) => {
    hasEnded.abort();
    throw new LaunchFailure(end.words || 'It ended without output.');
  });
  const startedAt = performance.now();
  const isOurs = (): boolean =>
    words().includes('server listening on') || performance.now() - startedAt > PORT_COLLISION_GRACE_MS;
  const ready = async (): Promise<void> => {
    while (performance.now() - startedAt < readyWithinMs) {
      // Another program's Chroma may answer on this port while our server is failing to bind it.
      if (isOurs() && (await hasHeartbeat(port, isOver))) return;
      await sleep(POLL_MS, undefined, { signal: isOver });
    }
    throw new LaunchFailure(`It did not answer within ${readyWithinMs / 1000} s. ${words()}`);
  };
  await Promise.race([failed, ready()]);
}

async function hasHeartbeat(port: number, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/v2/heartbeat`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(1_000)]),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
