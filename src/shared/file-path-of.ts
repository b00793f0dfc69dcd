import { fileURLToPath } from 'node:url';

/** The path of a `file:` URL; undefined for other URLs and for files of other systems, such as `file://nas/share/a.pdf`. */
export function filePathOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
