import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `dist/page`, the built web page, whether this file runs compiled or as its source. */
export function pageFolder(): string {
  const here = new URL('.', import.meta.url);
  const compiled = fileURLToPath(new URL('../../page', here));
  return existsSync(`${compiled}/index.html`) ? compiled : fileURLToPath(new URL('../../dist/page', here));
}
