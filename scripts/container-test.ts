import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildImage } from './container-test/build-image.ts';
import { readDockerfile } from './container-test/read-dockerfile.ts';
import { type ImageStart, innerProcess, startReadOnly } from './container-test/root-folder.ts';

const USAGE = `Tests the content of the container image without a container engine: carries out each line of deploy/Dockerfile in a
root folder made of Debian's packages, then starts the server there on a read-only root, without rights, and uses it.
Linux only, as root, with Debian's packages mmdebstrap and util-linux, and the network.

  npm run -s container-test -- [--keep FOLDER]

  --keep FOLDER  keeps Debian with Node and the finished stages there; the next run, also after one that was interrupted, builds
                 only what has changed`;

const CONTEXT = fileURLToPath(new URL('..', import.meta.url));
const KEY = 'a key of the container test';
const ANSWERS_WITHIN_MS = 120_000;
const STOPS_WITHIN_MS = 30_000;
let failures = 0;

async function main(): Promise<void> {
  const options = { keep: { type: 'string' }, help: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ options });
  if (values.help) return console.log(USAGE);
  if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new Error('Run this as root on Linux.');
  const folder = mkdtempSync(join(tmpdir(), 'citewell-container-'));
  try {
    const stages = readDockerfile(readFileSync(join(CONTEXT, 'deploy/Dockerfile'), 'utf8'));
    const kept = values.keep === undefined ? join(folder, 'image') : resolve(values.keep);
    mkdirSync(kept, { recursive: true });
    const { root, start, base } = buildImage(stages, CONTEXT, kept);
    expectSame('the user of the image is not root', /^[1-9]\d*:[1-9]\d*$/.test(start.user), true);
    const size = (path: string) => Number(execFileSync('du', ['-sxm', path], { encoding: 'utf8' }).split('\t')[0]);
    console.log(`     the image has ${size(root)} MB, of which ${size(base)} MB are Debian and Node`);
    await useImage(root, start, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

async function useImage(root: string, start: ImageStart, folder: string): Promise<void> {
  const volumes = join(folder, 'volumes');
  // A new volume inherits the owner and mode of the folder in the image.
  for (const path of start.volumes) {
    mkdirSync(join(volumes, path), { recursive: true, mode: 0o700 });
    chownSync(join(volumes, path), ...(start.user.split(':').map(Number) as [number, number]));
  }
  const port = await freePort();
  const configured = {
    ...start,
    variables: { ...start.variables, CITEWELL_PORT: String(port), CITEWELL_API_KEYS: KEY.replaceAll(' ', '-') },
  };
  const run = (command: readonly string[]) => startReadOnly(root, configured, command, volumes);
  expectSame('the health check before the start', await exitOf(run(start.healthcheck)), 1);
  expectSame('writing to the root fails', (await exitOf(run(['touch', '/app/new']))) === 0, false);
  const doctor = run(['citewell', 'doctor', '--json']);
  const report = doctor.stdout === null ? '' : await text(doctor.stdout);
  const { findings } = JSON.parse(report) as { findings: { name: string; state: string; detail: string }[] };
  expectSame(
    'what doctor finds wrong',
    findings.filter(({ state }) => state === 'wrong'),
    [],
  );

  const url = `http://127.0.0.1:${port}/v3`;
  for (const round of ['first', 'second']) {
    const server = run(start.command);
    const output = server.stderr === null ? Promise.resolve('') : text(server.stderr);
    server.stdout?.resume();
    try {
      const health = await untilReady(url, server);
      expectSame(`the index at the ${round} start`, health.results.index, { kind: 'embedded', state: 'ready' });
      expectSame('the health check', await exitOf(run(start.healthcheck)), 0);
      const status = readFileSync(`/proc/${innerProcess(server)}/status`, 'utf8');
      expectSame('its user', /^Uid:\t(\d+)/m.exec(status)?.[1], start.user.split(':')[0]);
      expectSame('its capabilities', /^CapEff:\t(\w+)/m.exec(status)?.[1], '0'.repeat(16));
      if (round === 'first') await upload(url);
      expectSame('what a search finds', await search(url, 'How strong may the wind be?'), ['ferry.md']);
      expectSame('the answer without a key', (await fetch(`${url}/documents`)).status, 401);
    } catch (error) {
      server.kill('SIGKILL');
      console.error(await output);
      throw error;
    }
    const stopped = exitOf(server);
    process.kill(innerProcess(server), 'SIGTERM');
    expectSame(
      `the exit code after SIGTERM`,
      await Promise.race([stopped, delay(STOPS_WITHIN_MS, 'still running')]),
      0,
    );
    server.kill('SIGKILL');
  }
}

interface Health {
  readonly results: { readonly index: { readonly kind: string; readonly state: string } };
}

async function untilReady(url: string, server: ChildProcess): Promise<Health> {
  const end = Date.now() + ANSWERS_WITHIN_MS;
  for (;;) {
    const health = await fetch(`${url}/health`).then(
      async (response) => (response.ok ? ((await response.json()) as Health) : undefined),
      () => undefined,
    );
    if (health?.results.index.state === 'ready') return health;
    if (server.exitCode !== null) throw new Error(`The server ended with ${server.exitCode}.`);
    if (Date.now() > end) throw new Error(`The server is not ready: ${JSON.stringify(health)}`);
    await delay(200);
  }
}

const headers = { authorization: `Bearer ${KEY.replaceAll(' ', '-')}` };

async function upload(url: string): Promise<void> {
  const form = new FormData();
  const content = '# Ferry\n\nThe ferry does not sail when the wind is above 18 metres a second.\n';
  form.set('file', new File([content], 'ferry.md', { type: 'text/markdown' }));
  const response = await fetch(`${url}/documents`, { method: 'POST', headers, body: form });
  expectSame('the answer to an upload', response.status, 202);
}

async function search(url: string, query: string): Promise<unknown> {
  const response = await fetch(`${url}/retrieval/search`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { results } = (await response.json()) as {
    results: { chunk_search_results: { metadata: { title: string } }[] };
  };
  return results.chunk_search_results.map(({ metadata }) => metadata.title);
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

function expectSame(what: string, given: unknown, expected: unknown): void {
  const isSame = JSON.stringify(given) === JSON.stringify(expected);
  console.log(`${isSame ? 'ok  ' : 'NOT '} ${what}: ${JSON.stringify(given)}`);
  if (isSame) return;
  failures += 1;
  console.error(`     expected ${JSON.stringify(expected)}`);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
if (failures > 0) process.exitCode = 1;
