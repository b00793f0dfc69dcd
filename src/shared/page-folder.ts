import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Path of `dist/page`, the built web page, whether this module runs compiled or from source. */
export function pageFolder(): string {
  const here = new URL('.', import.meta.url);
  const compiled = fileURLToPath(new URL('../../page', here));
  return existsSync(`${compiled}/index.html`) ? compiled : fileURLToPath(new URL('../../dist/page', here));
}
