import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The program built before the tests (`test/support/build-once.ts`). */
export const PROGRAM = fileURLToPath(new URL('../../dist/src/cli/citewell.js', import.meta.url));
/** Shared by all tests, because the native module that is patched for this system takes 50 MB. */
export const CACHES = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
const START_WITHIN_MS = 60_000;

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Working directory, with the data folder `.citewell` and an optional `.env`. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Content of stdin; `open` leaves stdin to `onStart`. Empty by default. */
  readonly input?: string | { readonly open: true };
  /** A wrapper command that changes limits, such as `prlimit --nofile=64`. */
  readonly via?: readonly string[];
  /** Port of a server; a free one by default. */
  readonly port?: number;
  /** Milliseconds a server may take to start; 60 000 by default. */
  readonly startWithinMs?: number;
  /** Called with the process once it runs. */
  readonly onStart?: (child: ChildProcess) => void;
}

/** Runs the real program to its end, without settings from the environment. */
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
  /** Sends the signal and waits until the process has ended. */
  end(
    signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL',
  ): Promise<{ readonly code: number | null; readonly milliseconds: number }>;
  /** Kills the process if it is still running. */
  kill(): Promise<void>;
}

/** Starts `citewell serve`; resolves when it reports its address. */
export async function startCitewell(options: RunOptions): Promise<RunningServer> {
  const child = start(['serve', '--port', String(options.port ?? 0)], options);
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
  const { startWithinMs = START_WITHIN_MS } = options;
  const timer = setTimeout(() => {
    child.kill('SIGKILL');
    reject(new Error(`The server did not start:\n${stdout}${stderr}`));
  }, startWithinMs);
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

function start(args: readonly string[], { cwd, env = {}, input, via = [] }: RunOptions): ChildProcess {
  // A minimal environment: no key or setting of the user who runs the tests is inherited.
  const { PATH = '', HOME = '', TMPDIR, SystemRoot } = process.env;
  const kept = { PATH, HOME, XDG_CACHE_HOME: CACHES, ...(TMPDIR && { TMPDIR }), ...(SystemRoot && { SystemRoot }) };
  const [program = process.execPath, ...words] = [...via, process.execPath, PROGRAM, ...args];
  const child = spawn(program, words, {
    cwd,
    env: { ...kept, NO_COLOR: '1', CITEWELL_LOCAL_MODELS: 'off', ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // A program that ends before it has read its input is judged by its code and output.
  child.stdin?.on('error', () => undefined);
  return child;
}
