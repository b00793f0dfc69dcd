/**
 * The program of the child process that is the embedded Chroma: `server-process.ts BINDING FOLDER PORT`.
 *
 * The native call blocks its thread for as long as the server runs, so it gets a thread of its own, and the main
 * thread stays free to notice the parent's death: standard input then closes.
 */
import { env } from 'node:process';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const GRACE_MS = 1_500;
const SIGNAL_AGAIN_MS = 100;

if (isMainThread) watch(process.argv.slice(2));
else serve(workerData);

function watch(words: readonly string[]): void {
  // The native server reads settings from every variable of this prefix and refuses names it does not know.
  for (const name of Object.keys(env)) if (name.startsWith('CHROMA_')) delete env[name];

  let isShuttingDown = false;
  const shutDown = (): void => {
    if (isShuttingDown) return;
    isShuttingDown = true;
    // The server may not listen for signals yet, hence again and again.
    const ask = (): boolean => process.kill(process.pid, 'SIGTERM');
    setInterval(ask, SIGNAL_AGAIN_MS);
    // `process.exit` would wait for the blocked thread.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS);
    ask();
  };
  // These handlers must be there before the native server puts its own in front of them. Without one, it would hand
  // the signal on to Node's first handler, which raises it again, for ever.
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
  process.stdin.on('close', shutDown).on('error', shutDown).resume();

  const server = new Worker(new URL(import.meta.url), { workerData: words });
  server.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
  });
  server.on('exit', (code) => process.exit(code));
}

function serve([binding, folder, port]: readonly string[]): void {
  const loaded: { exports: { cli?: (words: readonly (string | undefined)[]) => void } } = { exports: {} };
  process.dlopen(loaded, binding ?? '');
  loaded.exports.cli?.(['chroma', 'run', '--path', folder, '--host', '127.0.0.1', '--port', port]);
}
