import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../src/cli/citewell.js', import.meta.url));
const STOP_WITHIN_MS = 10_000;

export type Settings = Readonly<Record<string, string>>;

export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
  /** Kills the process, as a crash does. */
  kill(): Promise<void>;
}

/** Starts the service on a data folder, without settings from the environment and by default on a free port. */
export async function startServer(dataFolder: string, settings: Settings = {}, port = '0'): Promise<RunningServer> {
  const { PATH = '', HOME = '' } = process.env;
  const server = spawn(process.execPath, [PROGRAM, 'serve', '--port', port], {
    cwd: dataFolder,
    env: {
      PATH,
      HOME,
      CITEWELL_DATA_DIR: dataFolder,
      CITEWELL_LOG_LEVEL: 'error',
      CITEWELL_LOCAL_MODELS: 'off',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    const late = setTimeout(() => server.kill('SIGKILL'), STOP_WITHIN_MS);
    await ended;
    clearTimeout(late);
  };
  try {
    const url = await addressOf(createInterface({ input: server.stdout }));
    server.stdout.resume();
    return { url, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}

/** Calls `run` with an empty folder, which is removed afterwards. */
export async function withFolder<Result>(run: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'citewell-browser-')));
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Calls `run` with a new service in an empty folder. */
export const withServer = <Result>(
  settings: Settings,
  run: (server: RunningServer) => Promise<Result>,
): Promise<Result> =>
  withFolder(async (folder) => {
    const server = await startServer(folder, settings);
    try {
      return await run(server);
    } finally {
      await server.stop();
    }
  });

async function addressOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [, url] = /(http:\/\/\S+)\/v3/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The server did not start.');
}
