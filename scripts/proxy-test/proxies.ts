import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** The proxies whose configuration is in `deploy/`. */
export const proxyKinds = ['caddy', 'nginx'] as const;
export type ProxyKind = (typeof proxyKinds)[number];

export interface Proxy {
  readonly url: string;
  /** The log output so far. */
  log(): string;
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** Folder for the configuration and the files of the proxy. */
  readonly folder: string;
  readonly port: number;
  /** Ports of the two servers behind it. */
  readonly ports: readonly [number, number];
}

/** Name and version of a proxy; undefined if it is not installed. */
export function versionOf(kind: ProxyKind): string | undefined {
  const { error, stdout, stderr } = spawnSync(kind, [kind === 'nginx' ? '-v' : 'version'], { encoding: 'utf8' });
  if (error !== undefined) return undefined;
  const [, version = ''] = /(\d+\.\d+\.\d+)/.exec(stdout + stderr) ?? [];
  return `${kind} ${version}`;
}

const STARTS_WITHIN_MS = 30_000;
const read = (name: string) => readFile(fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url)), 'utf8');

/** Starts a proxy with its configuration from `deploy/`, in which only addresses are replaced. */
export async function startProxy(kind: ProxyKind, options: ProxyOptions): Promise<Proxy> {
  await mkdir(options.folder, { recursive: true });
  const words = kind === 'caddy' ? await prepareCaddy(options) : await prepareNginx(options);
  const child = spawn(kind, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: options.folder },
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const url = `http://127.0.0.1:${options.port}`;
  const until = Date.now() + STARTS_WITHIN_MS;
  while (
    !(await fetch(`${url}/v3/health`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`${kind} did not start:\n${output}`);
    }
    await sleep(50);
  }
  return { url, log: () => output, close: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function prepareCaddy({ folder, port, ports: [one, two] }: ProxyOptions): Promise<string[]> {
  const compose = parse(await read('compose.cluster.yaml'), { merge: true });
  const given = String(compose.configs.caddyfile.content);
  const placed = given
    .replace('one:7272 two:7272', `127.0.0.1:${one} 127.0.0.1:${two}`)
    .replace(':7272 {', `http://127.0.0.1:${port} {`);
  const file = join(folder, 'Caddyfile');
  await writeFile(file, `{\n  admin off\n}\n${placed}`);
  return ['run', '--adapter', 'caddyfile', '--config', file];
}

async function prepareNginx({ folder, port, ports: [one, two] }: ProxyOptions): Promise<string[]> {
  const placed = (await read('nginx.conf'))
    .replaceAll('server one:7272', `server 127.0.0.1:${one}`)
    .replaceAll('server two:7272', `server 127.0.0.1:${two}`)
    .replace('  listen 7272', `  listen 127.0.0.1:${port}`);
  await writeFile(join(folder, 'citewell.conf'), placed);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const lines = [
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'daemon off;',
    `pid ${join(folder, 'nginx.pid')};`,
    'error_log stderr warn;',
    'events {}',
    `http { access_log off; ${folders.join(' ')} include ${join(folder, 'citewell.conf')}; }`,
  ];
  const file = join(folder, 'nginx.conf');
  await writeFile(file, `${lines.join('\n')}\n`);
  return ['-e', 'stderr', '-c', file];
}
