/**
 * Entry point of the child process of the embedded Chroma: `server-process.ts BINDING FOLDER PORT`.
 *
 * The native call blocks its thread for as long as the server runs, so it runs in a worker thread, and the main thread
 * stays free to detect the parent's death: standard input then closes.
 */
import { env } from 'node:process';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const GRACE_MS = 1_500;
const SIGNAL_AGAIN_MS = 100;

if (isMainThread) watch(process.argv.slice(2));
else serve(workerData);

function watch(words: readonly string[]): void {
  // The native server reads settings from every variable with this prefix and rejects unknown names.
  for (const name of Object.keys(env)) if (name.startsWith('CHROMA_')) delete env[name];
  // By default it writes some 3 kB about each request, which takes up to a fifth of the time of a query. Besides
  // warnings, it writes that it listens (the only event of its HTTP server with an address), for which `launchServer` waits.
  env['RUST_LOG'] ??= 'warn,chroma_frontend::server[{addr}]=info';

  let isShuttingDown = false;
  const shutDown = (): void => {
    if (isShuttingDown) return;
    isShuttingDown = true;
    // `process.exit` would wait for the blocked thread. A separate thread also enforces the deadline while repeated
    // signals keep this one busy.
    new Worker(`setTimeout(() => process.kill(${process.pid}, 'SIGKILL'), ${GRACE_MS})`, { eval: true });
    // Repeated, because the server may not be listening for signals yet.
    const ask = (): boolean => process.kill(process.pid, 'SIGTERM');
    setInterval(ask, SIGNAL_AGAIN_MS);
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS);
    ask();
  };
  // These handlers must be installed before the native server's own. Without one, the server forwards the signal to
  // Node's first handler, which raises it again in an endless loop.
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
