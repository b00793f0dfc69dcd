import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const DEBIAN = '/usr/lib/postgresql';
const USER = 'citewell';
/** Exceeded only by a hang. */
const PATIENCE_MS = 180_000;

/** Finds the folder of `initdb` and `postgres`: from `pg_config`, in the PATH, or Debian's newest version. */
export function findPostgres(): string | undefined {
  const debian = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((one, two) => Number(two) - Number(one)) : [];
  const folders = [
    output('pg_config', ['--bindir']),
    ...(process.env['PATH'] ?? '').split(':'),
    ...debian.map((version) => join(DEBIAN, version, 'bin')),
  ];
  return folders.find((folder) => folder && ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

/** Whether the PostgreSQL installation has the pgvector extension. */
export function hasPgvector(bin: string): boolean {
  const config = join(bin, 'pg_config');
  const share = existsSync(config) ? output(config, ['--sharedir']) : undefined;
  return share !== undefined && existsSync(join(share, 'extension', 'vector.control'));
}

function output(command: string, parameters: readonly string[]): string | undefined {
  try {
    return execFileSync(command, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** The user that runs PostgreSQL when the tests run as root, which PostgreSQL refuses. Debian's package creates one. */
function owner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const name = output('id', ['-u', 'postgres']) === undefined ? 'nobody' : 'postgres';
  return { uid: Number(output('id', ['-u', name])), gid: Number(output('id', ['-g', name])) };
}

export const databaseUrl = (folder: string, name: string): string =>
  `postgresql:///${name}?host=${encodeURIComponent(folder)}&user=${USER}`;

/** A server of a test run. Its files and socket are in `folder`; it ends no later than the process with id `runner`. */
export interface PostgresServer {
  readonly bin: string;
  readonly folder: string;
  readonly runner: number;
  /** Whether it was built with ICU; true by default. */
  readonly hasIcu?: boolean;
}

/**
 * Starts and prepares the server, or waits until another worker has done so. Durability is switched off for speed.
 */
export async function startPostgres(server: PostgresServer, prepare: () => Promise<void>): Promise<void> {
  const { folder } = server;
  const [ready, failed] = [join(folder, 'ready'), join(folder, 'failed')];
  const isFirst = await mkdir(join(folder, 'data')).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    try {
      await initialise(server);
      launch(server);
      await until(async () => (await logOf(folder)).includes('ready to accept connections'), folder);
      await prepare();
      await writeFile(ready, '');
    } catch (error) {
      await writeFile(failed, String(error));
      throw error;
    }
  }
  await until(async () => existsSync(ready) || existsSync(failed), folder);
  if (existsSync(failed)) throw new Error(await readFile(failed, 'utf8'));
}

const logOf = (folder: string): Promise<string> => readFile(join(folder, 'log'), 'utf8').catch(() => '');

async function until(condition: () => Promise<boolean>, folder: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`PostgreSQL did not start. Its log: ${await logOf(folder)}`);
    await sleep(20);
  }
}

async function initialise({ bin, folder, hasIcu = true }: PostgresServer): Promise<void> {
  const user = owner();
  if (user) {
    await chown(folder, user.uid, user.gid);
    await chown(join(folder, 'data'), user.uid, user.gid);
  }
  const settings = [
    '-D',
    join(folder, 'data'),
    '-U',
    USER,
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--no-sync',
    '--no-instructions',
  ];
  // A default collation other than byte order exposes queries that rely on the default.
  const icu = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US'];
  const locale = hasIcu ? icu : ['--locale=C.UTF-8'];
  execFileSync(join(bin, 'initdb'), [...settings, ...locale], { ...user, cwd: folder, stdio: 'pipe' });
}

const FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'];

function launch({ bin, folder, runner }: PostgresServer): void {
  const program = [join(bin, 'postgres'), '-D', join(folder, 'data'), '-k', folder, '-c', 'listen_addresses='];
  // The shell ends the server when the runner has ended, even if the runner was killed.
  const script = `"$@" >log 2>&1 & server=$!; echo $server >pid
    while ps -p ${runner} >/dev/null && ps -p $server >/dev/null; do sleep 1; done; kill -QUIT $server`;
  const parameters = ['-c', script, 'sh', ...program, ...FAST.flatMap((setting) => ['-c', setting])];
  spawn('/bin/sh', parameters, { ...owner(), cwd: folder, stdio: 'ignore', detached: true }).unref();
}

/** Ends the server, if one was started, and removes its files. */
export async function stopPostgres(folder: string): Promise<void> {
  await killPostgres(folder);
  await rm(folder, { recursive: true, force: true });
}

/** Restarts a server that was killed, on its existing files. */
export async function startAgain(server: PostgresServer): Promise<void> {
  await rm(join(server.folder, 'log'), { force: true });
  launch(server);
  await until(async () => (await logOf(server.folder)).includes('ready to accept connections'), server.folder);
}

/** Ends the server, if one was started, without a clean shutdown, as a crash does. */
export async function killPostgres(folder: string): Promise<void> {
  const file = join(folder, 'pid');
  if (existsSync(file)) {
    const pid = Number(await readFile(file, 'utf8'));
    const signal = (name: NodeJS.Signals | 0) => {
      try {
        return process.kill(pid, name);
      } catch {
        return false;
      }
    };
    for (signal('SIGQUIT'); signal(0); ) await sleep(20);
  }
}
