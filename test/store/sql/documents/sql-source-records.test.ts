import { expect, it } from 'vitest';
import { newId } from '../../../../src/documents/ids.ts';
import { describeEngines } from '../../../support/engines.ts';
import { newDocument } from '../../../support/store.ts';

describeEngines('The document of a source', ({ openTestStore }) => {
  const source = 'file:///notes/otters.md';

  it('is the one of its owner with that source, even if another has the identifier', async () => {
    const { corpus, sources } = await openTestStore();
    const moved = await corpus.begin(newDocument('moved', { source: 'file:///notes/beavers.md' }));
    const there = await corpus.begin(newDocument('there', { source }));
    await corpus.begin(newDocument('foreign', { source, ownerId: newId() }));
    expect(await sources.find(there.ownerId, source, moved.id)).toEqual({ document: there, hasSource: true });
  });

  it('is otherwise the one with the identifier', async () => {
    const { corpus, sources } = await openTestStore();
    const moved = await corpus.begin(newDocument('moved', { source: 'file:///notes/beavers.md' }));
    const without = await corpus.begin(newDocument('without'));
    const find = (id: string) => sources.find(moved.ownerId, source, id);
    expect(await find(moved.id)).toEqual({ document: moved, hasSource: false });
    expect(await find(without.id)).toEqual({ document: without, hasSource: false });
    expect(await find(newId())).toBeUndefined();
  });
});
