import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../config.ts';
import { describeChroma } from '../store/chroma/describe-chroma.ts';
import { openDataFolder, readServerInfo } from '../store/data-folder.ts';
import { byteCount } from './progress-line.ts';

/** One thing that was looked at. `wrong` keeps Citewell from working, `warning` only from working well. */
export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'wrong';
  /** What was found. */
  readonly detail: string;
  /** What to do about it. */
  readonly fix?: string;
}

const REQUIRED_NODE = 24;
const LITTLE_SPACE = 1_000_000_000;
const NO_SPACE = 50_000_000;
const REMOTE_TIMEOUT_MS = 5_000;

export function checkNode(version: string): Finding {
  const name = 'Node';
  if (Number(/\d+/.exec(version)?.[0]) >= REQUIRED_NODE) return { name, state: 'ok', detail: version };
  return { name, state: 'wrong', detail: version, fix: `Install Node ${REQUIRED_NODE} or newer: https://nodejs.org` };
}

export function checkSqlite(): Finding {
  const name = 'SQLite';
  const database = new DatabaseSync(':memory:');
  try {
    const version = String(database.prepare('select sqlite_version() as version').get()?.['version']);
    database.exec("create virtual table probe using fts5(body, content='', contentless_delete=1)");
    return { name, state: 'ok', detail: `${version} with full-text search` };
  } catch (error) {
    return {
      name,
      state: 'wrong',
      detail: `This Node has no full-text search in its SQLite: ${messageOf(error)}`,
      fix: 'Use an official build of Node 24 from https://nodejs.org; some distributions leave FTS5 out.',
    };
  } finally {
    database.close();
  }
}

/** Makes nothing but a file that it removes again: whether the folder is there, writable, and has room. */
export async function checkDataFolder(folder: string): Promise<Finding> {
  const name = 'Data folder';
  const existing = await nearestExisting(folder);
  const fix = 'Choose another place with CITEWELL_DATA_DIR, or change who may write there.';
  try {
    await access(existing, constants.W_OK | constants.X_OK);
    if (existing === folder) {
      const probe = join(folder, `.probe-${process.pid}`);
      await writeFile(probe, '');
      await rm(probe);
    }
    if (!(await stat(existing)).isDirectory()) throw new Error(`${existing} is not a folder`);
  } catch (error) {
    return { name, state: 'wrong', detail: `${folder} cannot be written: ${messageOf(error)}`, fix };
  }
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const detail = `${folder}${existing === folder ? '' : ' (will be made)'}, ${byteCount(free)} free`;
  if (free >= LITTLE_SPACE) return { name, state: 'ok', detail };
  return {
    name,
    state: free < NO_SPACE ? 'wrong' : 'warning',
    detail,
    fix: 'Free some space, or move the data folder with CITEWELL_DATA_DIR.',
  };
}

/** Whether another process has the folder, as a long ingestion without a server does. */
export async function checkHolder(folder: string): Promise<Finding[]> {
  const isThere = (await stat(folder).catch(() => undefined))?.isDirectory() === true;
  if (!isThere || (await readServerInfo(folder)) !== undefined) return [];
  try {
    await (await openDataFolder(folder)).close();
    return [];
  } catch (error) {
    return [
      {
        name: 'Lock',
        state: 'warning',
        detail: messageOf(error),
        fix: 'Wait until it ends; or run citewell serve, which all commands can use at the same time.',
      },
    ];
  }
}

async function nearestExisting(folder: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    if ((await stat(path).catch(() => undefined)) !== undefined || dirname(path) === path) return path;
  }
}

/** The embedded Chroma's native part, or whether the remote one answers. */
export async function checkChroma(config: Config): Promise<Finding> {
  if (config.chroma !== undefined) return checkRemoteChroma(config.chroma.url, config.chroma.token);
  const name = 'Chroma';
  // A native module that has to be fitted to this machine is kept in the data folder; looking makes none.
  const isThere = (await stat(config.dataDir).catch(() => undefined))?.isDirectory() === true;
  const temporary = isThere ? undefined : await mkdtemp(join(tmpdir(), 'citewell-doctor-'));
  const cache = temporary ?? join(config.dataDir, 'cache');
  try {
    await mkdir(cache, { recursive: true });
    const facts = await describeChroma(cache);
    if (!facts.loadable) {
      return {
        name,
        state: 'wrong',
        detail: facts.problem ?? 'The embedded Chroma cannot be loaded.',
        fix: 'Install again without --omit=optional, or set CHROMA_URL to a running Chroma.',
      };
    }
    const patched = facts.usesPatchedCopy ? `, in a copy made for glibc ${facts.glibcInstalled}` : '';
    return { name, state: 'ok', detail: `embedded, ${facts.packageName} ${facts.packageVersion}${patched}` };
  } catch (error) {
    return { name, state: 'wrong', detail: messageOf(error), fix: 'See the data folder above.' };
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }
}

async function checkRemoteChroma(url: string, token: string | undefined): Promise<Finding> {
  const name = 'Chroma';
  try {
    const response = await fetch(new URL('api/v2/heartbeat', url.endsWith('/') ? url : `${url}/`), {
      signal: AbortSignal.timeout(REMOTE_TIMEOUT_MS),
      ...(token !== undefined && { headers: { 'x-chroma-token': token } }),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return { name, state: 'ok', detail: `${url} answers` };
  } catch (error) {
    return {
      name,
      state: 'wrong',
      detail: `${url} does not answer (${messageOf(error)})`,
      fix: 'Check CHROMA_URL and CHROMA_TOKEN, or unset CHROMA_URL to use the embedded Chroma.',
    };
  }
}

/** Which keys are there; none is shown. */
export function checkModels(config: Config): Finding {
  const name = 'Models';
  const present = [
    ...(config.openai.apiKey === undefined ? [] : ['OPENAI_API_KEY']),
    ...(config.anthropic.apiKey === undefined ? [] : ['ANTHROPIC_API_KEY']),
    ...(config.ollama.baseUrl === undefined ? [] : ['OLLAMA_BASE_URL']),
    ...config.providers.map(({ name: provider }) => `${provider} of CITEWELL_PROVIDERS`),
  ];
  if (present.length > 0) return { name, state: 'ok', detail: `set: ${present.join(', ')}` };
  return {
    name,
    state: 'warning',
    detail: 'no key is set: answers are quotations, and search is by words and not by meaning',
    fix: 'Set OPENAI_API_KEY or ANTHROPIC_API_KEY (or OLLAMA_BASE_URL) for written answers.',
  };
}

/** Whether `citewell serve` could listen, or already does. */
export async function checkPort(config: Config): Promise<Finding> {
  const name = 'Server';
  const running = await readServerInfo(config.dataDir);
  if (running !== undefined) {
    return { name, state: 'ok', detail: `running at ${running.url} (process ${running.pid})` };
  }
  const { host, port } = config;
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen({ host, port, exclusive: true }, resolve);
  try {
    await promise;
    server.close();
    return { name, state: 'ok', detail: port === 0 ? 'not running' : `not running; ${host}:${port} is free` };
  } catch (error) {
    return {
      name,
      state: 'wrong',
      detail: `${host}:${port} cannot be listened on: ${messageOf(error)}`,
      fix: 'Stop what uses it, or choose another with CITEWELL_PORT (0 takes any free one).',
    };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
