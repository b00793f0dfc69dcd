import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const BLOCK_BYTES = 65_536;

/** SHA-256 of the content of a file, in hexadecimal digits. */
export async function hashFile(path: string): Promise<string> {
  // A stream would take more processor time than reading and hashing a small file does.
  const file = await open(path);
  try {
    const hash = createHash('sha256');
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(block, 0, BLOCK_BYTES);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(block.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}
