import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { currentProcess, isAlive } from './process-identity.ts';

// Reads synchronously: the files are small, and many of these processes would load node:fs/promises for nothing else.

/** The contents of `server.json` in the data folder, by which a serving process announces itself. */
export interface ServerInfo {
  readonly pid: number;
  /** Distinguishes the process from a later one with the same process id; see process-identity.ts. */
  readonly startTime: string;
  /** Address it listens on, e.g. `http://127.0.0.1:7272`. */
  readonly url: string;
  /** Readable only with access to the data folder. */
  readonly token: string;
  readonly version: string;
  /** `mcp` and `command` serve only the user who started them and yield to a `server`; a `command` ends soon. */
  readonly role: 'server' | 'mcp' | 'command';
}

/**
 * The process that serves this data folder; undefined when none does, even if a crash left a file behind.
 *
 * The folder may come from another person, and questions, documents and the token are sent to the address: the file
 * counts only if this user owns it, its process is alive and belongs to this user, and the address is on this machine.
 */
export async function readServerInfo(folder: string): Promise<ServerInfo | undefined> {
  try {
    const info = toServerInfo(JSON.parse(readOwnFile(fileIn(folder))));
    const isTrusted = isOnThisMachine(info.url) && isOwnProcess(info.pid) && (await isAlive(info));
    return isTrusted ? info : undefined;
  } catch {
    return undefined;
  }
}

// Without zod, which takes more memory than everything else in a process that only looks up the address.
function toServerInfo(value: unknown): ServerInfo {
  const { pid, startTime, url, token, version, role = 'server' } = value as Partial<ServerInfo>;
  const isValid =
    Number.isInteger(pid) &&
    Number(pid) > 0 &&
    [startTime, token].every((text) => typeof text === 'string' && text !== '') &&
    typeof version === 'string' &&
    typeof url === 'string' &&
    /^https?:$/.test(new URL(url).protocol) &&
    ['server', 'mcp', 'command'].includes(role);
  if (!isValid) throw new Error('server.json has another form.');
  return { pid, startTime, url, token, version, role } as ServerInfo;
}

/** Throws when the path is a link, or a file of another user. */
function readOwnFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    if (!isOwn(fstatSync(file).uid)) throw new Error(`${path} belongs to another user.`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** The superuser may use services of other users. */
function isOwn(uid: number): boolean {
  const user = process.getuid?.();
  return user === undefined || user === 0 || uid === user;
}

function isOwnProcess(pid: number): boolean {
  return process.platform !== 'linux' || isOwn(statSync(`/proc/${pid}`).uid);
}

function isOnThisMachine(address: string): boolean {
  const host = new URL(address).hostname.replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))) return true;
  const own = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return isIP(host) !== 0 && own.some(({ address: each }) => each === host);
}

/** Announces this process as the server of the data folder, at `url`. */
export async function writeServerInfo(
  folder: string,
  url: string,
  { version = '', role = 'server' }: Partial<Pick<ServerInfo, 'version' | 'role'>> = {},
): Promise<ServerInfo> {
  // Imported lazily to save memory: only servers write this file, and many processes only read it.
  const { randomUUID } = await import('node:crypto');
  const info: ServerInfo = {
    ...(await currentProcess()),
    url: await byAddress(url),
    token: randomUUID(),
    version,
    role,
  };
  const unfinished = `${fileIn(folder)}.${info.token}`;
  writeFileSync(unfinished, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, fileIn(folder));
  return info;
}

/** Resolves the host name now, because it may later resolve to another machine. */
async function byAddress(address: string): Promise<string> {
  const url = new URL(address);
  if (url.hostname === 'localhost' || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return address;
  const { lookup } = await import('node:dns/promises');
  const { address: number, family } = await lookup(url.hostname);
  return `http://${family === 6 ? `[${number}]` : number}:${url.port}`;
}

/** Removes the announcement unless it belongs to another live process. */
export async function removeServerInfo(folder: string): Promise<void> {
  const info = await readServerInfo(folder);
  if (info === undefined || info.pid === process.pid) rmSync(fileIn(folder), { force: true });
}

const fileIn = (folder: string): string => join(folder, 'server.json');
