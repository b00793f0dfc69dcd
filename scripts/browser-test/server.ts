import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../src/cli/citewell.js', import.meta.url));
const STOP_WITHIN_MS = 10_000;

export interface RunningServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the service on a free port with its own data folder and without settings from the environment. */
export async function startServer(
  dataFolder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const { PATH = '', HOME = '' } = process.env;
  const server = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
    cwd: dataFolder,
    env: { PATH, HOME, CITEWELL_DATA_DIR: dataFolder, CITEWELL_LOG_LEVEL: 'error', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async () => {
    if (server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    const late = setTimeout(() => server.kill('SIGKILL'), STOP_WITHIN_MS);
    await ended;
    clearTimeout(late);
  };
  try {
    const url = await addressOf(createInterface({ input: server.stdout }));
    server.stdout.resume();
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function addressOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [, url] = /(http:\/\/\S+)\/v3/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The server did not start.');
}
