import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../src/cli/citewell.js', import.meta.url));
const START_WITHIN_MS = 20_000;

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Where it runs; its data folder is `.citewell` in there, and a `.env` is read from there. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Given to it on stdin; `open` leaves stdin to whoever `onStart` tells. Nothing by default. */
  readonly input?: string | { readonly open: true };
  /** Told of the process once it runs. */
  readonly onStart?: (child: ChildProcess) => void;
}

/** Runs the real program to its end, with no setting of the surrounding environment. */
export async function runCitewell(args: readonly string[], options: RunOptions): Promise<Run> {
  const child = start(args, options);
  if (typeof options.input === 'string') child.stdin?.end(options.input);
  options.onStart?.(child);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends the signal and waits for the end. */
  end(
    signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL',
  ): Promise<{ readonly code: number | null; readonly milliseconds: number }>;
  /** Makes sure that it is gone. */
  kill(): Promise<void>;
}

/** `citewell serve` on a free port; returns when it says where it listens. */
export async function startCitewell(options: RunOptions): Promise<RunningServer> {
  const child = start(['serve', '--port', '0'], options);
  options.onStart?.(child);
  let stdout = '';
  let stderr = '';
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    const [, url] = /(http:\/\/\S+)\/v3/.exec(stdout) ?? [];
    if (url !== undefined) resolve(url);
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const timer = setTimeout(() => reject(new Error(`The server did not start:\n${stdout}${stderr}`)), START_WITHIN_MS);
  ended.then((code) => reject(new Error(`The server ended with ${code}:\n${stdout}${stderr}`)));
  const url = await ready.finally(() => clearTimeout(timer));
  return {
    url,
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    async end(signal) {
      const startedAt = performance.now();
      child.kill(signal);
      const code = await ended;
      return { code, milliseconds: performance.now() - startedAt };
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function start(args: readonly string[], { cwd, env = {}, input }: RunOptions): ChildProcess {
  // As little as a process needs: no key and no setting of whoever runs the tests reaches it.
  const { PATH = '', HOME = '', TMPDIR, SystemRoot } = process.env;
  const kept = { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...(SystemRoot && { SystemRoot }) };
  return spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { ...kept, NO_COLOR: '1', ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
}
