import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Total bytes of the HNSW graphs below the folder. They keep a slot for every vector ever added, removed ones included.
 */
export async function vectorFileBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = names
    .filter((name) => name.endsWith('data_level0.bin'))
    .map(async (name) => (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
