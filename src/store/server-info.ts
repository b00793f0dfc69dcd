import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { currentProcess, isAlive } from './process-identity.ts';

/** What a serving process tells others about itself in `server.json` of its data folder. */
export type ServerInfo = Readonly<z.output<typeof serverInfo>>;

const serverInfo = z.object({
  pid: z.number().int().positive(),
  /** Tells the process from a later one of the same number; see process-identity.ts. */
  startTime: z.string().min(1),
  /** Where it listens, e.g. `http://127.0.0.1:7272`. */
  url: z.url({ protocol: /^https?$/ }),
  /** Known only to those who may read the data folder. */
  token: z.string().min(1),
  version: z.string(),
  /** `mcp` serves one client of its own, and makes way for a `server`. */
  role: z.enum(['server', 'mcp']).default('server'),
});

/** The process that serves this data folder; undefined when none does, whatever a crash left behind. */
export async function readServerInfo(folder: string): Promise<ServerInfo | undefined> {
  try {
    const info = serverInfo.parse(JSON.parse(await readFile(fileIn(folder), 'utf8')));
    return (await isAlive(info)) ? info : undefined;
  } catch {
    return undefined;
  }
}

/** Announces this process as the one that serves the data folder at `url`. */
export async function writeServerInfo(
  folder: string,
  url: string,
  { version = '', role = 'server' }: Partial<Pick<ServerInfo, 'version' | 'role'>> = {},
): Promise<ServerInfo> {
  const info: ServerInfo = { ...(await currentProcess()), url, token: randomUUID(), version, role };
  const unfinished = `${fileIn(folder)}.${info.token}`;
  await writeFile(unfinished, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, fileIn(folder));
  return info;
}

/** Takes the announcement back, if it is this process's. */
export async function removeServerInfo(folder: string): Promise<void> {
  const info = await readServerInfo(folder);
  if (info === undefined || info.pid === process.pid) await rm(fileIn(folder), { force: true });
}

const fileIn = (folder: string): string => join(folder, 'server.json');
