import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ZONE_FOLDER = '/usr/share/zoneinfo';
// Signature of TZif files.
const MAGIC = 'TZif';
const MAX_ZONE_BYTES = 20_000;
const SKIPPED_ZONES = /^(posix|right|posixrules|localtime|Factory|\.)/;

/** TZif files of this machine's time zones in base64 by name; empty on systems without /usr/share/zoneinfo. */
export async function readTimeZones(folder: string = ZONE_FOLDER): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const zones = await Promise.all(
    names
      .filter((name) => !SKIPPED_ZONES.test(name))
      .sort()
      .map(async (name) => readZone(folder, name)),
  );
  return Object.fromEntries(zones.filter((zone) => zone !== undefined));
}

async function readZone(folder: string, name: string): Promise<[string, string] | undefined> {
  try {
    const bytes = await readFile(join(folder, name));
    const isZone = bytes.length < MAX_ZONE_BYTES && bytes.subarray(0, MAGIC.length).toString('latin1') === MAGIC;
    return isZone ? [name.replaceAll('\\', '/'), bytes.toString('base64')] : undefined;
  } catch {
    return undefined;
  }
}
