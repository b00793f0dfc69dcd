import { CompiledQuery } from 'kysely';
import { expect, inject, it } from 'vitest';
import { newId } from '../../../../src/documents/ids.ts';
import { selectBelow } from '../../../../src/store/sql/documents/sql-source-records.ts';
import { describeEngines } from '../../../support/engines.ts';
import { newDocument, openTestStore } from '../../../support/store.ts';

it.skipIf(inject('engine') !== 'SQLite')('pages of documents are read in the order of an index', async () => {
  const { sqlite } = await openTestStore();
  const { ownerId } = newDocument('any');
  const planOf = async (query: Parameters<typeof selectBelow>[2]) => {
    const compiled = selectBelow(sqlite.reader, ownerId, query).compile();
    const explained = CompiledQuery.raw(`explain query plan ${compiled.sql}`, [...compiled.parameters]);
    const { rows } = await sqlite.reader.executeQuery<{ detail: string }>(explained);
    return rows.map(({ detail }) => detail);
  };
  const page = { prefix: 'file:///notes/', after: 'file:///notes/otters.md', limit: 200 };
  expect(await planOf(page)).toEqual([expect.stringContaining('USING INDEX documents_by_source')]);
  const [byContent] = await planOf({ ...page, contentHash: 'ab' });
  expect(byContent).toContain('USING INDEX documents_by_content');
});

describeEngines('The document of a source', ({ openTestStore }) => {
  const source = 'file:///notes/otters.md';

  it('is the one of its owner with that source, even if another has the identifier', async () => {
    const { corpus, sources } = await openTestStore();
    const moved = await corpus.begin(newDocument('moved', { source: 'file:///notes/beavers.md' }));
    const there = await corpus.begin(newDocument('there', { source, settings: { chunk_size: 300 } }));
    await corpus.begin(newDocument('later', { source }));
    await corpus.begin(newDocument('foreign', { source, ownerId: newId() }));
    expect(await sources.find(there.ownerId, [{ source, id: moved.id }])).toEqual([
      { document: there, hasSource: true, settings: { chunk_size: 300 } },
    ]);
  });

  it('is otherwise the one with the identifier', async () => {
    const { corpus, sources } = await openTestStore();
    const moved = await corpus.begin(newDocument('moved', { source: 'file:///notes/beavers.md' }));
    const without = await corpus.begin(newDocument('without'));
    const foreign = await corpus.begin(newDocument('foreign', { source, ownerId: newId() }));
    const ids = [moved.id, newId(), without.id, foreign.id];
    const found = await sources.find(
      moved.ownerId,
      ids.map((id) => ({ source, id })),
    );
    expect(found).toEqual([
      { document: moved, hasSource: false, settings: {} },
      undefined,
      { document: without, hasSource: false, settings: {} },
      { document: foreign, hasSource: false, settings: {} },
    ]);
  });
});
