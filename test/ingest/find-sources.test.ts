import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { countSources } from '../../src/ingest/find-sources.ts';

const FILES = 100;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'citewell-count-'));
  await mkdir(join(folder, 'below'));
  for (let number = 0; number < FILES; number++)
    await writeFile(join(folder, number % 2 === 0 ? 'below' : '.', `${number}.txt`), 'Words.');
  await writeFile(join(folder, 'film.mov'), 'x');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('counts the files below a folder, and reports how many it has counted so far', async () => {
  const reported: number[] = [];
  const options = { dataFolder: join(folder, 'none'), stop: new AbortController().signal };
  const total = await countSources([folder], options, (counted) => reported.push(counted));
  expect(reported).toEqual(Array.from({ length: total ?? 0 }, (_, place) => place + 1));
  expect(total).toBeGreaterThanOrEqual(FILES);
});
