import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The only address that R2R's suites know. */
const R2R_ADDRESS = 'http://localhost:7272';

/** Puts the server's address in place of R2R's in the test files of a folder, which are otherwise left as they are. */
export async function useAddress(folder: string, url: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile() && /\.(ts|py)$/.test(each.name))) {
    const path = join(folder, entry.name);
    const text = await readFile(path, 'utf8');
    if (text.includes(R2R_ADDRESS)) await writeFile(path, text.replaceAll(R2R_ADDRESS, url));
  }
}
