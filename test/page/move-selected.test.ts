import { expect, it } from 'vitest';
import {
  MOVE_BATCH,
  type Move,
  type MoveProgress,
  moveSelected,
} from '../../src/page/app/views/library/move-selected.ts';

const ids = Array.from({ length: 2 * MOVE_BATCH + 50 }, (_, at) => `id ${at}`);
const move: Move = { kind: 'add', collection: 'c', ids };

async function progressOf(send: Parameters<typeof moveSelected>[1]): Promise<readonly MoveProgress[]> {
  const all: MoveProgress[] = [];
  for await (const each of moveSelected(move, send)) all.push(each);
  return all;
}

it('adds thousands of documents to a collection in batches, with the progress after each', async () => {
  const sent: number[] = [];
  const progress = await progressOf(async ({ ids: batch }) => {
    sent.push(batch.length);
    const unchanged = [{ document_id: batch[0] ?? '', code: 'conflict', message: 'It is there already.' }];
    return { added: batch.length - 1, removed: 0, unchanged };
  });
  expect(sent).toEqual([MOVE_BATCH, MOVE_BATCH, 50]);
  expect(progress.map(({ handled }) => handled)).toEqual([MOVE_BATCH, 2 * MOVE_BATCH, ids.length]);
  // A document that is in the collection already is as wanted.
  expect(progress.at(-1)).toEqual({ handled: ids.length, changed: ids.length - 3 });
});

it('says why the first document was refused, and ends with the first failed request', async () => {
  let requests = 0;
  const progress = await progressOf(async ({ ids: batch }) => {
    requests++;
    if (requests === 2) throw new Error('The server cannot be reached.');
    const unchanged = [{ document_id: batch[0] ?? '', code: 'not_found', message: 'There is no document.' }];
    return { added: batch.length - 1, removed: 0, unchanged };
  });
  expect(requests).toBe(2);
  expect(progress.at(-1)).toEqual({
    handled: MOVE_BATCH,
    changed: MOVE_BATCH - 1,
    refusal: 'There is no document.',
    failure: 'The server cannot be reached.',
  });
});
