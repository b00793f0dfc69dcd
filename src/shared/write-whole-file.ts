import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

interface WriteOptions {
  /** Readable by its owner only, by default. */
  readonly mode?: number;
  /** Waits until the content is on the disk before the file gets its name. */
  readonly flush?: boolean;
}

/**
 * Writes a file in one step for its readers: until it is complete, the name stays free or keeps its earlier file. A
 * failure leaves nothing behind; a killed process can leave a file whose name ends with `.partial`.
 */
export async function writeWholeFile(
  file: string,
  content: string | Uint8Array,
  { mode = 0o600, flush = false }: WriteOptions = {},
): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.partial`;
  try {
    await writeFile(unfinished, content, { mode, flag: 'wx', flush });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}
