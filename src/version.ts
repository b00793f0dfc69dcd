import { readFileSync } from 'node:fs';

/** The version of this package, from its package.json. */
export function readVersion(): string {
  // Compiled files lie one folder deeper than their sources.
  for (const path of ['../package.json', '../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
      if (name === 'citewell') return String(version);
    } catch {}
  }
  return 'unknown';
}
