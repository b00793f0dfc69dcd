import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hasPlaywright } from '../../src/web/browser.ts';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** An installed browser: the one of CITEWELL_BROWSER, else one in a usual place. */
export async function findBrowser(): Promise<string | undefined> {
  if (!(await hasPlaywright())) return undefined;
  const named = process.env['CITEWELL_BROWSER'];
  for (const place of named === undefined ? PLACES : [named]) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly isDead: boolean;
}

async function processes(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [id, parent, state = ''] = line.trim().split(/\s+/);
      return { id: Number(id), parent: Number(parent), isDead: state.startsWith('Z') };
    });
}

/** Descendant processes of this one, without the one that lists them and without those that were there `before`. */
export async function offspring(before: readonly number[] = []): Promise<number[]> {
  const all = await processes();
  const below = (parent: number): number[] =>
    all.filter((one) => one.parent === parent).flatMap(({ id }) => [id, ...below(id)]);
  const now = new Set((await processes()).map(({ id }) => id));
  return below(process.pid).filter((id) => now.has(id) && !before.includes(id));
}

/** Those of the processes that still run after two seconds. */
export async function leftOf(ids: readonly number[]): Promise<number[]> {
  for (let tries = 0; ; tries += 1) {
    const left = (await processes()).filter(({ id, isDead }) => !isDead && ids.includes(id)).map(({ id }) => id);
    if (left.length === 0 || tries === 20) return left;
    await wait(100);
  }
}
