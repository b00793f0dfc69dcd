import { readFileSync } from 'node:fs';

/** The report that a runner wrote; undefined when there is none. */
export function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
