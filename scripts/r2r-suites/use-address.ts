import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The address in R2R's test suites. */
const R2R_ADDRESS = 'http://localhost:7272';

/** Replaces R2R's address with that of the server in the test files of a folder. */
export async function useAddress(folder: string, url: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile() && /\.(ts|py)$/.test(each.name))) {
    const path = join(folder, entry.name);
    const text = await readFile(path, 'utf8');
    if (text.includes(R2R_ADDRESS)) await writeFile(path, text.replaceAll(R2R_ADDRESS, url));
  }
}
