import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const HOST_ZONES = '/usr/share/zoneinfo';
// Every file of compiled time zones begins so.
const MAGIC = 'TZif';
const LARGEST = 20_000;
const ELSEWHERE = /^(posix|right|posixrules|localtime|Factory|\.)/;

/** The time zones of this machine by name, as base64; none where it keeps them otherwise, as Windows does. */
export async function readTimeZones(folder: string = HOST_ZONES): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const zones = await Promise.all(
    names
      .filter((name) => !ELSEWHERE.test(name))
      .sort()
      .map(async (name) => readZone(folder, name)),
  );
  return Object.fromEntries(zones.filter((zone) => zone !== undefined));
}

async function readZone(folder: string, name: string): Promise<[string, string] | undefined> {
  try {
    const bytes = await readFile(join(folder, name));
    const isZone = bytes.length < LARGEST && bytes.subarray(0, MAGIC.length).toString('latin1') === MAGIC;
    return isZone ? [name.replaceAll('\\', '/'), bytes.toString('base64')] : undefined;
  } catch {
    return undefined;
  }
}
