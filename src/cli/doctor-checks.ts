import { constants } from 'node:fs';
import { access, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { isLoopbackAddress } from '../models/local-servers.ts';
import { byteCount } from '../shared/byte-count.ts';
import { errorMessage } from '../shared/error-message.ts';
import { describeQuotas, usualQuotas } from '../store/chroma/chroma-quotas.ts';
import { describeChroma } from '../store/chroma/describe-chroma.ts';
import { createRemoteChroma } from '../store/chroma/remote-chroma.ts';
import { openDataFolder } from '../store/data-folder.ts';
import { modeOpenToOthers } from '../store/private-folder.ts';
import { readServerInfo } from '../store/server-info.ts';
import { damageSentence, findDamage } from '../store/sql/check-database.ts';
import { freeSpaceIn } from '../store/sql/compact-database.ts';
import { refuseEmptied } from '../store/sql/watch-health.ts';
import { openUserCache } from '../user-cache.ts';

/** Result of one check. `wrong` prevents Citewell from working, `warning` from working well. */
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
/** Minimum share of free pages in a database for them to be reported. */
const MUCH_FREE = 0.25;

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
      detail: `This Node has no full-text search in its SQLite: ${errorMessage(error)}`,
      fix: 'Use an official build of Node 24 from https://nodejs.org; some distributions leave FTS5 out.',
    };
  } finally {
    database.close();
  }
}

/** Checks that the folder exists, is writable and has space. Creates only a temporary file. */
export async function checkDataFolder(folder: string): Promise<Finding> {
  const name = 'Data folder';
  const existing = await nearestExisting(folder);
  const fix = 'Choose another folder with CITEWELL_DATA_DIR, or change its permissions.';
  try {
    await access(existing, constants.W_OK | constants.X_OK);
    if (existing === folder) {
      const probe = join(folder, `.probe-${process.pid}`);
      await writeFile(probe, '');
      await rm(probe);
    }
    if (!(await stat(existing)).isDirectory()) throw new Error(`${existing} is not a folder`);
  } catch (error) {
    return { name, state: 'wrong', detail: `${folder} cannot be written: ${errorMessage(error)}`, fix };
  }
  const openMode = existing === folder ? await modeOpenToOthers(folder) : undefined;
  if (openMode !== undefined) {
    return {
      name,
      state: 'warning',
      detail: `${folder} can be read by other users of this machine (mode ${openMode})`,
      fix: `Citewell restricts it at its next start; to do it now: chmod -R go= ${folder}`,
    };
  }
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const detail = `${folder}${existing === folder ? '' : ' (will be created)'}, ${byteCount(free)} free`;
  if (free >= LITTLE_SPACE) return { name, state: 'ok', detail };
  return {
    name,
    state: free < NO_SPACE ? 'wrong' : 'warning',
    detail,
    fix: 'Free some space, or move the data folder with CITEWELL_DATA_DIR.',
  };
}

/** Checks the whole database for damage. Does not create a missing one. */
export async function checkDatabase(folder: string): Promise<Finding[]> {
  const name = 'Database';
  const file = join(folder, 'citewell.db');
  const size = (await stat(file).catch(() => undefined))?.size;
  if (size === undefined || size === 0) {
    try {
      refuseEmptied(file);
      return [];
    } catch (error) {
      return [{ name, state: 'wrong', detail: errorMessage(error), fix: 'Nothing can be stored until then.' }];
    }
  }
  const fix = 'Nothing else is reliable until then.';
  try {
    const damage = findDamage(file);
    if (damage.length === 0) return [describeSound(file, size)];
    return [{ name, state: 'wrong', detail: damageSentence(file, damage), fix }];
  } catch (error) {
    return [{ name, state: 'wrong', detail: `${file} cannot be checked: ${errorMessage(error)}`, fix }];
  }
}

function describeSound(file: string, size: number): Finding {
  const name = 'Database';
  const detail = `${byteCount(size)}, checked whole`;
  const { bytes, share, isReclaimed } = freeSpaceIn(file);
  if (isReclaimed || share < MUCH_FREE) return { name, state: 'ok', detail };
  return {
    name,
    state: 'warning',
    detail: `${detail}; ${byteCount(bytes)} of it are free but not returned to the system, as in databases of earlier versions`,
    fix: 'Stop Citewell and run citewell doctor --repair, which rewrites it.',
  };
}

/** Whether another process holds the folder. */
export async function checkHolder(folder: string): Promise<Finding[]> {
  const isThere = (await stat(folder).catch(() => undefined))?.isDirectory() === true;
  if (!isThere || (await readServerInfo(folder)) !== undefined) return [];
  try {
    await (await openDataFolder(folder)).close();
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'conflict')) {
      const fix = 'This folder cannot be used until then.';
      return [{ name: 'Data folder', state: 'wrong', detail: errorMessage(error), fix }];
    }
    return [
      {
        name: 'Lock',
        state: 'warning',
        detail: errorMessage(error),
        fix: 'Wait until it ends, or run citewell serve, which all commands can use at the same time.',
      },
    ];
  }
}

async function nearestExisting(folder: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    if ((await stat(path).catch(() => undefined)) !== undefined || dirname(path) === path) return path;
  }
}

/** The native part of the embedded Chroma, or whether the remote one answers. */
export async function checkChroma(config: Config): Promise<Finding> {
  if (config.chroma !== undefined) return checkRemoteChroma(config.chroma);
  const name = 'Chroma';
  const cache = openUserCache(config.cacheDir);
  try {
    const facts = await describeChroma(cache.path);
    if (!facts.loadable) {
      return {
        name,
        state: 'wrong',
        detail: facts.problem ?? 'The embedded Chroma cannot be loaded.',
        fix: 'Reinstall without --omit=optional, or set CHROMA_URL to a running Chroma.',
      };
    }
    const patched = facts.usesPatchedCopy ? `, in a copy made for glibc ${facts.glibcInstalled}` : '';
    return { name, state: 'ok', detail: `embedded, ${facts.packageName} ${facts.packageVersion}${patched}` };
  } catch (error) {
    return {
      name,
      state: 'wrong',
      detail: errorMessage(error),
      fix: 'Set XDG_CACHE_HOME to a folder that this user can write to.',
    };
  } finally {
    cache.close();
  }
}

/** Lists the collections, because a heartbeat succeeds even without a valid key. */
async function checkRemoteChroma(chroma: NonNullable<Config['chroma']>): Promise<Finding> {
  const name = 'Chroma';
  const { url, token, quotas } = chroma;
  const index = createRemoteChroma({ ...chroma, log: { info: () => {}, warn: () => {} } });
  try {
    const { length: count } = await index.list();
    const limits = describeQuotas({ ...usualQuotas(url), ...quotas });
    const found = `${count} ${count === 1 ? 'collection' : 'collections'} of Citewell${limits && `; at most ${limits}`}`;
    const detail = `${url} answers: ${found}`;
    if (token === undefined || !isReadable(url)) return { name, state: 'ok', detail };
    const fix = 'Use https, or connect within a private network only.';
    return { name, state: 'warning', detail: `${detail}; the key is sent to it unencrypted`, fix };
  } catch (error) {
    return {
      name,
      state: 'wrong',
      detail: errorMessage(error),
      fix: 'Check CHROMA_URL, CHROMA_API_KEY, CHROMA_TENANT and CHROMA_DATABASE, or unset CHROMA_URL to use the embedded Chroma.',
    };
  } finally {
    await index.close();
  }
}

const isReadable = (url: string): boolean => url.startsWith('http:') && !isLoopbackAddress(url);

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
      detail: `${host}:${port} cannot be listened on: ${errorMessage(error)}`,
      fix: 'Stop the program that uses it, or choose another port with CITEWELL_PORT (0 for any free one).',
    };
  }
}
