import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { newDocument, openTestStore } from '../../../support/store.ts';

const HEADER = 32;
const FRAME_HEADER = 24;

/** The commits in a write-ahead log: the frames that name the size of the database (https://sqlite.org/fileformat2.html, 4.1). */
async function countCommits(path: string): Promise<number> {
  const log = await readFile(`${path}-wal`);
  const frame = FRAME_HEADER + log.readUInt32BE(8);
  let commits = 0;
  for (let at = HEADER; at + frame <= log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) commits++;
  return commits;
}

it('documents that are begun at the same time share commits', async () => {
  const store = await openTestStore();
  const begin = (name: string) => store.corpus.begin(newDocument(name));
  const commitsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await countCommits(store.path);
    await work();
    return (await countCommits(store.path)) - before;
  };
  const names = Array.from({ length: 20 }, (_, at) => `${at}`);
  const alone = await commitsOf(async () => {
    for (const name of names) await begin(`alone ${name}`);
  });
  const together = await commitsOf(() => Promise.all(names.map((name) => begin(`together ${name}`))));
  expect(alone).toBeGreaterThanOrEqual(20);
  expect(together).toBeGreaterThan(0);
  expect(together).toBeLessThan(alone / 2);
  expect((await store.corpus.stats()).documents.pending).toBe(40);
});
