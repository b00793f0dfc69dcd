import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { defaultCollectionId, newId } from '../../../../src/documents/ids.ts';
import type { ExtractedGraph, ExtractionTask, GraphParent, NewCommunity } from '../../../../src/store/graph-records.ts';
import { capitalisedWords } from '../../../support/capitalised-words.ts';
import { describeEngines, type Engine } from '../../../support/engines.ts';
import { PATIENT } from '../../../support/patience.ts';
import { ingest, newChunk, newDocument, publication, type TestStore } from '../../../support/store.ts';

const owner = newDocument('x').ownerId;
const collectionId = defaultCollectionId(owner);
const page = { offset: 0, limit: 1000 };
const ofCollection: GraphParent = { kind: 'collection', id: collectionId };

async function openWithCollection(engine: Engine): Promise<TestStore> {
  const store = await engine.openTestStore();
  await store.collections.ensure({ id: collectionId, ownerId: owner, name: 'Default' });
  return store;
}

const chunksOf = (texts: readonly string[]) => texts.map((text, order) => newChunk(order, text));
const addDocument = (store: TestStore, name: string, ...texts: string[]) =>
  ingest(store, newDocument(name), chunksOf(texts));

/** Ingests a document again with other texts. */
async function replaceDocument({ corpus }: TestStore, name: string, ...texts: string[]) {
  const document = newDocument(name);
  await corpus.begin(document, { replace: true });
  await corpus.stage(document.id, chunksOf(texts));
  return corpus.publish(document.id, publication(texts.join('\n')));
}

async function extractAll({ documentGraphs }: TestStore): Promise<number> {
  for (let count = 0; ; count++) {
    const task = await documentGraphs.next();
    if (task === undefined) return count;
    await documentGraphs.save(task, 'test/capitals', capitalisedWords(task.chunks));
  }
}

const namesOf = async ({ graphs }: TestStore, parent: GraphParent) =>
  (await graphs.entities(parent, page)).items.map(({ name }) => name).sort();
const relationsOf = async ({ graphs }: TestStore, parent: GraphParent) =>
  (await graphs.relationships(parent, page)).items.map(({ subject, object }) => `${subject}-${object}`).sort();
const countNames = async ({ sqlite }: TestStore, engine: Engine) => {
  const terms = sql.table(engine.name === 'SQLite' ? 'graph_name_terms_docsize' : 'graph_name_terms');
  const { rows } = await sql<{ n: number; t: number }>`
    select (select count(*) from graph_names) as n, (select count(*) from ${terms}) as t`.execute(sqlite.reader);
  expect(rows[0]?.t).toBe(rows[0]?.n);
  return rows[0]?.n;
};

const never = new AbortController().signal;

/** That many entities, all related to one that every document names. */
function manyRelationships({ chunks }: ExtractionTask, number: number, count: number): ExtractedGraph {
  const mentions = [{ chunkId: chunks[0]?.chunkId ?? '', start: 0, end: 4 }];
  const common = { category: null, description: '', metadata: {}, mentions };
  const names = Array.from({ length: count }, (_, index) => `thing ${number} ${index}`);
  return {
    entities: [...names, 'hub'].map((name) => ({ ...common, name })),
    relationships: names.map((object) => ({ ...common, subject: 'hub', predicate: 'beside', object, weight: 1 })),
  };
}

async function addManyRelationships(store: TestStore, documents: number, each: number): Promise<void> {
  for (let number = 0; number < documents; number++) {
    await addDocument(store, `doc ${number}`, 'Word.');
    const task = await store.documentGraphs.next();
    if (task) await store.documentGraphs.save(task, 'test', manyRelationships(task, number, each));
  }
}

async function communityOfTwo({ graphs }: TestStore): Promise<NewCommunity> {
  const { items } = await graphs.entities(ofCollection, { offset: 0, limit: 2 });
  const described = { name: 'Two', summary: 'Two things.', findings: [], rating: 1, ratingExplanation: '', level: 0 };
  return { ...described, attributes: {}, memberIds: items.map(({ id }) => id) };
}

/** Rows of all collections' graphs, hidden ones as well. */
async function countRows({ sqlite }: TestStore): Promise<number | undefined> {
  const { rows } = await sql<{ n: number }>`
    select (select count(*) from graph_entities) + (select count(*) from graph_relationships)
      + (select count(*) from graph_communities) as n`.execute(sqlite.reader);
  return rows[0]?.n;
}

async function expectEmpty(store: TestStore): Promise<void> {
  const nothing = { entities: 0, relationships: 0, communities: 0, documentIds: [] };
  expect(await store.graphs.graph(collectionId)).toMatchObject(nothing);
  expect(await namesOf(store, ofCollection)).toEqual([]);
  expect(await relationsOf(store, ofCollection)).toEqual([]);
  expect(await store.graphs.communities(collectionId, page)).toMatchObject({ total: 0 });
  const outline = await store.graphs.outline(collectionId, { nodes: page, edges: 10 });
  expect(outline).toEqual({ nodes: [], edges: [], totalNodes: 0, totalEdges: 0 });
  const limits = { entities: 5, relationships: 5, communities: 5 };
  const found = await store.graphSearch.search({
    text: 'two things',
    vector: null,
    filter: { kind: 'all' },
    limits,
  });
  expect(found.communities).toEqual([]);
}

describeEngines('The graph of a document', (engine) => {
  it('is stored with offsets in its chunks', async () => {
    const store = await openWithCollection(engine);
    const { id } = await addDocument(store, 'cities', 'Paris lies near Rouen.', 'And Paris again.');
    expect(await store.documentGraphs.backlog()).toEqual({ waiting: 1, failed: 0 });
    expect(await extractAll(store)).toBe(1);
    expect(await store.corpus.get(id)).toMatchObject({ extractionStatus: 'success' });
    const { items, total } = await store.graphs.entities({ kind: 'document', id }, page);
    expect(total).toBe(3);
    const paris = items.find(({ name }) => name === 'Paris');
    expect(paris).toMatchObject({ mentions: 2, parentId: id, description: 'Paris lies near Rouen' });
    expect(paris?.chunkIds).toHaveLength(2);
    expect(await relationsOf(store, { kind: 'document', id })).toEqual(['And-Paris', 'Paris-Rouen']);
    expect(await store.graphs.entity({ kind: 'document', id }, paris?.id ?? '')).toEqual(paris);
    expect(await store.documentGraphs.extractionOf(id)).toMatchObject({ extractor: 'test/capitals', entities: 3 });
  });

  it('is extracted by the next process after the extraction was killed', async () => {
    const store = await openWithCollection(engine);
    await addDocument(store, 'cities', 'Paris lies near Rouen.');
    expect(await store.documentGraphs.next()).toBeDefined();
    expect(await store.documentGraphs.next()).toBeUndefined();
    const reopened = await store.reopen();
    await reopened.documentGraphs.requeue();
    expect(await extractAll(reopened)).toBe(1);
  });

  it('keeps mentions in unchanged text until the document is extracted again', async () => {
    const store = await openWithCollection(engine);
    const { id } = await addDocument(store, 'cities', 'Paris lies near Rouen.', 'Berlin lies near Potsdam.');
    await extractAll(store);
    const before = await store.graphs.entities({ kind: 'document', id }, page);
    await replaceDocument(store, 'cities', 'Something else first.', 'Paris lies near Rouen.');
    expect(await namesOf(store, { kind: 'document', id })).toEqual(['Paris', 'Rouen']);
    await extractAll(store);
    expect(await namesOf(store, { kind: 'document', id })).toEqual(['Paris', 'Rouen', 'Something']);
    const after = await store.graphs.entities({ kind: 'document', id }, page);
    const idOf = (list: typeof before) => list.items.find(({ name }) => name === 'Paris')?.id;
    expect(idOf(after)).toBe(idOf(before));
    expect(await countNames(store, engine)).toBe(3);
  });

  it('is discarded when the document was ingested again meanwhile', async () => {
    const store = await openWithCollection(engine);
    const { id } = await addDocument(store, 'cities', 'Paris lies near Rouen.');
    const task = await store.documentGraphs.next();
    await replaceDocument(store, 'cities', 'Berlin only.');
    expect(task && (await store.documentGraphs.save(task, 'test', capitalisedWords(task.chunks)))).toBe(false);
    await extractAll(store);
    expect(await namesOf(store, { kind: 'document', id })).toEqual(['Berlin']);
  });

  it('records why an extraction failed, and skips documents without extraction', async () => {
    const store = await openWithCollection(engine);
    const { id } = await addDocument(store, 'cities', 'Paris lies near Rouen.');
    const task = await store.documentGraphs.next();
    if (task) await store.documentGraphs.fail(task, 'It went wrong.');
    expect(await store.corpus.get(id)).toMatchObject({ extractionStatus: 'failed' });
    expect(await store.documentGraphs.extractionOf(id)).toMatchObject({ failure: 'It went wrong.' });
    const quiet = newDocument('quiet', { settings: { automatic_extraction: false } });
    await ingest(store, quiet, [newChunk(0, 'Paris.')]);
    expect(await extractAll(store)).toBe(0);
    await store.documentGraphs.request(quiet.id, null);
    expect(await extractAll(store)).toBe(1);
  });
});

describeEngines('The graph of a collection', (engine) => {
  // PostgreSQL is asked over a socket, several times as slowly.
  const many = engine.name === 'SQLite' ? 2_000 : 200;

  it('has one entity for each name, with its sources', async () => {
    const store = await openWithCollection(engine);
    const one = await addDocument(store, 'one', 'Paris lies near Rouen.');
    await addDocument(store, 'two', 'PARIS is far. Paris lies near Rouen.');
    await extractAll(store);
    expect(await store.graphs.pull(collectionId, { force: false })).toEqual({ documents: 2 });
    expect(await store.graphs.pull(collectionId, { force: false })).toEqual({ documents: 0 });
    expect(await namesOf(store, ofCollection)).toEqual(['Paris', 'Rouen']);
    const { items } = await store.graphs.relationships(ofCollection, page);
    expect(items).toMatchObject([{ subject: 'Paris', object: 'Rouen', weight: 2, mentions: 2 }]);
    expect(await store.graphs.graph(collectionId)).toMatchObject({ entities: 2, relationships: 1, name: 'Default' });
    await store.corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: one.id });
    expect(await store.graphs.relationships(ofCollection, page)).toMatchObject({ items: [{ weight: 1 }] });
  });

  it('is updated automatically as documents are extracted or added to the collection', async () => {
    const store = await openWithCollection(engine);
    const one = await addDocument(store, 'one', 'Paris lies near Rouen.');
    await extractAll(store);
    expect(await relationsOf(store, ofCollection)).toEqual(['Paris-Rouen']);
    const other = { id: newId(), ownerId: owner, name: 'Other' };
    await store.collections.ensure(other);
    await store.collections.addDocuments(other.id, [one.id]);
    expect(await relationsOf(store, { kind: 'collection', id: other.id })).toEqual(['Paris-Rouen']);
    await store.graphs.replaceBuilt(collectionId, []);
    await addDocument(store, 'two', 'Berlin lies near Potsdam.');
    await extractAll(store);
    expect(await store.collections.get(collectionId)).toMatchObject({ graphClusterStatus: 'outdated' });
  });

  it('omits removed entries until the next pull', async () => {
    const store = await openWithCollection(engine);
    const one = await addDocument(store, 'one', 'Paris lies near Rouen.');
    await addDocument(store, 'two', 'Berlin lies near Potsdam.');
    await extractAll(store);
    expect(await store.graphs.removeDocument(collectionId, one.id)).toBe(true);
    await store.documentGraphs.request(one.id, null);
    await extractAll(store);
    await store.documentGraphs.mergeRemaining(never);
    expect(await namesOf(store, ofCollection)).toEqual(['Berlin', 'Potsdam']);
    await store.graphs.reset(collectionId);
    await store.documentGraphs.mergeRemaining(never);
    expect(await namesOf(store, ofCollection)).toEqual([]);
    expect(await store.graphs.pull(collectionId, { force: false })).toEqual({ documents: 2 });
    expect(await namesOf(store, ofCollection)).toEqual(['Berlin', 'Paris', 'Potsdam', 'Rouen']);
  });

  it('includes extractions of program versions that gathered only on request', async () => {
    const store = await openWithCollection(engine);
    await addDocument(store, 'one', 'Paris lies near Rouen.');
    await extractAll(store);
    await sql`delete from graph_documents`.execute(store.sqlite.writer);
    expect(await namesOf(store, ofCollection)).toEqual([]);
    await store.documentGraphs.mergeRemaining(never);
    expect(await relationsOf(store, ofCollection)).toEqual(['Paris-Rouen']);
  });

  // Regression: when all entities of the collection were paired before looking up their relationships, this took a
  // minute.
  it('merges thousands of relationships document by document, reports progress, and can be aborted', async () => {
    const store = await openWithCollection(engine);
    await addManyRelationships(store, 5, many);
    expect(await store.graphs.graph(collectionId)).toMatchObject({ entities: 5 * many + 1, relationships: 5 * many });
    await store.graphs.reset(collectionId);
    const stop = new AbortController();
    const seen: number[] = [];
    const pullUntilStopped = async () => {
      for await (const { done } of store.graphs.pullInSteps(collectionId, { force: false, signal: stop.signal })) {
        seen.push(done);
        if (done === 2) stop.abort();
      }
    };
    await expect(pullUntilStopped()).rejects.toMatchObject({
      code: 'cancelled',
      message: expect.stringContaining('2 of 5'),
    });
    expect(seen).toEqual([1, 2]);
    expect(await store.graphs.graph(collectionId)).toMatchObject({ relationships: 2 * many });
    expect(await store.graphs.pull(collectionId, { force: false })).toEqual({ documents: 3 });
    expect(await store.graphs.graph(collectionId)).toMatchObject({ entities: 5 * many + 1, relationships: 5 * many });
  });

  it('is empty at once when reset, while its rows are deleted in short transactions', async () => {
    const store = await openWithCollection(engine);
    await addManyRelationships(store, 2, many);
    await store.graphs.replaceBuilt(collectionId, [await communityOfTwo(store)]);
    const stop = new AbortController();
    const steps = store.graphs.resetInSteps(collectionId, stop.signal);
    expect(await steps.next()).toMatchObject({ done: false, value: { total: 4 * many + 2 } });
    await expectEmpty(store);
    expect(await countRows(store)).toBeGreaterThan(2 * many);
    // What comes meanwhile is neither hidden nor joined to what is hidden.
    expect(await store.graphs.pull(collectionId, { force: false })).toEqual({ documents: 2 });
    const other = await addDocument(store, 'other', 'Paris lies near Rouen.');
    await extractAll(store);
    expect(await store.graphs.graph(collectionId)).toMatchObject({
      entities: 2 * many + 3,
      relationships: 2 * many + 1,
    });
    const { total } = await store.graphs.relationships(ofCollection, { ...page, entityNames: ['hub'] });
    expect(total).toBe(2 * many);
    await store.graphs.replaceBuilt(collectionId, [await communityOfTwo(store)]);
    stop.abort();
    await expect(steps.next()).rejects.toMatchObject({ code: 'cancelled' });
    await vi.waitFor(async () => expect(await countRows(store)).toBe(4 * many + 5), PATIENT);
    expect(await store.graphs.graph(collectionId)).toMatchObject({ relationships: 2 * many + 1, communities: 1 });
    expect(await store.collections.get(collectionId)).toMatchObject({ graphClusterStatus: 'success' });
    expect(await store.graphs.removeDocument(collectionId, other.id)).toBe(true);
    expect(await store.graphs.graph(collectionId)).toMatchObject({ relationships: 2 * many });
  });

  it('is emptied by the next process after a killed reset', async () => {
    const store = await openWithCollection(engine);
    await addManyRelationships(store, 1, many);
    await store.graphs.resetInSteps(collectionId, never).next();
    const reopened = await store.reopen();
    await expectEmpty(reopened);
    await vi.waitFor(async () => expect(await countRows(reopened)).toBe(0), PATIENT);
    await reopened.documentGraphs.mergeRemaining(never);
    await expectEmpty(reopened);
  });

  it('is deleted with its collection, and restored when that was interrupted', async () => {
    const store = await openWithCollection(engine);
    await addManyRelationships(store, 1, many);
    const rows = await countRows(store);
    const { writer } = store.sqlite;
    const fails =
      engine.name === 'SQLite'
        ? sql`begin select raise(abort, 'interrupted'); end`
        : sql`for each row execute function interrupt()`;
    if (engine.name === 'PostgreSQL') {
      await sql`create function interrupt() returns trigger language plpgsql as
        $$ begin raise exception 'interrupted'; end $$`.execute(writer);
    }
    await sql`create trigger stays before delete on collections ${fails}`.execute(writer);
    await expect(store.collections.remove(collectionId)).rejects.toThrow('interrupted');
    await store.documentGraphs.mergeRemaining(never);
    expect(await countRows(store)).toBe(rows);
    await sql`drop trigger stays ${engine.name === 'SQLite' ? sql`` : sql`on collections`}`.execute(writer);
    expect(await store.collections.remove(collectionId)).toMatchObject({ documents: 1 });
    expect(await countRows(store)).toBe(0);
  });

  it('drops entries of a removed document, and keeps those created by hand', async () => {
    const store = await openWithCollection(engine);
    const one = await addDocument(store, 'one', 'Paris lies near Rouen.');
    await addDocument(store, 'two', 'Berlin lies near Potsdam.');
    await extractAll(store);
    await store.graphs.pull(collectionId, { force: false });
    const made = await store.graphs.createEntity(collectionId, { name: 'Lutetia', description: 'The old name.' });
    const paris = (await store.graphs.entities(ofCollection, page)).items.find(({ name }) => name === 'Paris');
    await store.graphs.createRelationship(collectionId, {
      subjectId: made.id,
      predicate: 'is now',
      objectId: paris?.id ?? '',
    });
    await store.graphs.changeEntity(collectionId, paris?.id ?? '', { description: 'A city.' });
    await store.collections.removeDocuments(collectionId, [one.id]);
    expect(await namesOf(store, ofCollection)).toEqual(['Berlin', 'Lutetia', 'Paris', 'Potsdam']);
    expect(await relationsOf(store, ofCollection)).toEqual(['Berlin-Potsdam', 'Lutetia-Paris']);
    await store.graphs.reset(collectionId);
    expect(await namesOf(store, ofCollection)).toEqual([]);
    expect(await namesOf(store, { kind: 'document', id: one.id })).toEqual(['Paris', 'Rouen']);
  });

  it('follows a pulled document that is extracted again', async () => {
    const store = await openWithCollection(engine);
    await addDocument(store, 'one', 'Paris lies near Rouen.');
    await extractAll(store);
    await store.graphs.pull(collectionId, { force: false });
    await replaceDocument(store, 'one', 'Paris lies near Rouen.', 'Berlin too.');
    await extractAll(store);
    expect(await namesOf(store, ofCollection)).toEqual(['Berlin', 'Paris', 'Rouen']);
  });

  it('drops communities built on deleted entries', async () => {
    const store = await openWithCollection(engine);
    const one = await addDocument(store, 'one', 'Paris lies near Rouen.');
    await addDocument(store, 'two', 'Berlin lies near Potsdam.');
    await extractAll(store);
    await store.graphs.pull(collectionId, { force: false });
    const { items } = await store.graphs.entities(ofCollection, page);
    const idOf = (name: string) => items.find((each) => each.name === name)?.id ?? '';
    const community = {
      summary: 'Paris lies near Rouen.',
      findings: ['One.'],
      rating: 5,
      ratingExplanation: '',
      level: 0,
      attributes: {},
    };
    await store.graphs.replaceBuilt(collectionId, [
      { ...community, name: 'France', memberIds: [idOf('Paris'), idOf('Rouen')] },
      { ...community, name: 'Prussia', memberIds: [idOf('Potsdam'), idOf('Berlin')] },
    ]);
    await store.graphs.createCommunity(collectionId, { ...community, name: 'By hand', memberIds: [idOf('Paris')] });
    expect(await store.collections.get(collectionId)).toMatchObject({ graphClusterStatus: 'success' });
    await store.corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: one.id });
    const left = await store.graphs.communities(collectionId, page);
    expect(left.items.map(({ name }) => name)).toEqual(['Prussia', 'By hand']);
    expect(left.items[0]?.memberIds).toEqual([idOf('Potsdam'), idOf('Berlin')]);
    expect(await store.collections.get(collectionId)).toMatchObject({ graphClusterStatus: 'outdated' });
  });

  it('is counted in the receipt of a deletion, which leaves no name behind', async () => {
    const store = await openWithCollection(engine);
    await addDocument(store, 'one', 'Paris lies near Rouen.');
    await extractAll(store);
    await store.graphs.pull(collectionId, { force: false });
    expect(await store.corpus.remove({ kind: 'all' })).toMatchObject({ documents: 1, graphRows: 3 });
    expect(await countNames(store, engine)).toBe(0);
    expect(await store.graphs.graph(collectionId)).toMatchObject({ entities: 0, relationships: 0, documentIds: [] });
  });

  it('loses entries found only in a removed chunk, at once', async () => {
    const store = await openWithCollection(engine);
    const { id } = await addDocument(store, 'one', 'Paris lies near Rouen.', 'Berlin lies near Paris.');
    await extractAll(store);
    await store.graphs.pull(collectionId, { force: false });
    const [first] = (await store.corpus.chunksOf(id, page)).items;
    expect(await store.corpus.removeChunk(first?.id ?? '')).toMatchObject({ graphRows: 2 });
    expect(await namesOf(store, ofCollection)).toEqual(['Berlin', 'Paris']);
    const paris = (await store.graphs.entities(ofCollection, page)).items.find(({ name }) => name === 'Paris');
    // The description quoted the removed chunk.
    expect(paris).toMatchObject({ description: '', mentions: 1 });
    expect(await store.corpus.get(id)).toMatchObject({ extractionStatus: 'pending' });
  });

  it('returns its view by importance', async () => {
    const store = await openWithCollection(engine);
    await addDocument(store, 'one', 'Paris lies near Rouen. Paris lies near Lyon. Paris.');
    await extractAll(store);
    await store.graphs.pull(collectionId, { force: false });
    const outline = await store.graphs.outline(collectionId, { nodes: { offset: 0, limit: 2 }, edges: 10 });
    expect(outline.nodes.map(({ name, mentions }) => [name, mentions])).toEqual([
      ['Paris', 3],
      ['Rouen', 1],
    ]);
    expect(outline).toMatchObject({ totalNodes: 3, totalEdges: 2, edges: [{ predicate: 'beside', weight: 1 }] });
  });
});
