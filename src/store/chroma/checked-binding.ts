import { createHash } from 'node:crypto';
import { lstat, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { writeWholeFile } from '../../shared/write-whole-file.ts';
import { glibcName } from './glibc.ts';
import type { BindingHost, BindingPackage } from './loadable-binding.ts';

interface Parts {
  readonly binding: BindingPackage;
  readonly host: BindingHost;
  readonly cacheFolder: string;
}

/** A full check is repeated after this time, which also marks the copy as in use. */
const VALID_MS = 24 * 3_600_000;

/**
 * The file that the last full check found loadable, unless it or the installed package has been changed since: by their
 * inodes, sizes and times of change, which no program can set back. Undefined if a full check is needed.
 */
export async function checkedBinding(parts: Parts): Promise<string | undefined> {
  try {
    const { file, original, loadable, at } = checkRecord.parse(JSON.parse(await readFile(recordFile(parts), 'utf8')));
    if (Math.abs(Date.now() - at) > VALID_MS) return undefined;
    if (file !== parts.binding.file && dirname(file) !== parts.cacheFolder) return undefined;
    const isUnchanged = (await identityOf(parts.binding.file)) === original && (await identityOf(file)) === loadable;
    return isUnchanged ? file : undefined;
  } catch {
    // No record yet, or not one of ours.
    return undefined;
  }
}

/** Records that `file` was found loadable. Failures are ignored, since the record only saves time. */
export async function recordCheck(parts: Parts, file: string): Promise<void> {
  const record = recordFile(parts);
  try {
    const [original, loadable] = [await identityOf(parts.binding.file), await identityOf(file)];
    const content: z.infer<typeof checkRecord> = { file, original, loadable, at: Date.now() };
    await mkdir(parts.cacheFolder, { recursive: true, mode: 0o700 });
    await writeWholeFile(record, JSON.stringify(content));
  } catch {
    // The next start checks again.
  }
}

const checkRecord = z.object({ file: z.string(), original: z.string(), loadable: z.string(), at: z.number() });

function recordFile({ binding, host, cacheFolder }: Parts): string {
  const glibc = host.glibc === undefined ? null : glibcName(host.glibc);
  const key = createHash('sha256').update(JSON.stringify([binding, host.architecture, glibc]));
  return join(cacheFolder, `chroma-checked-${key.digest('hex').slice(0, 16)}.json`);
}

/** Differs for a file that has been replaced or written to. Throws for a link. */
async function identityOf(file: string): Promise<string> {
  const found = await lstat(file, { bigint: true });
  if (!found.isFile()) throw new Error(`${file} is not a file.`);
  return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
}
