import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { defaultCollectionId } from '../../../../src/documents/ids.ts';
import { capitalisedWords } from '../../../support/capitalised-words.ts';
import { describeEngines, type Engine } from '../../../support/engines.ts';
import { ingest, newChunk, newDocument, publication, type TestStore } from '../../../support/store.ts';

// Whatever happens to documents, both levels of the graph contain exactly what the extracted documents contain.

const owner = newDocument('x').ownerId;
const collectionId = defaultCollectionId(owner);
const page = { offset: 0, limit: 1000 };
const NAMES = ['one', 'two', 'three'];
const SENTENCES = [
  'Paris lies near Rouen.',
  'Berlin lies near Potsdam.',
  'Rouen trades with Berlin.',
  'Nothing is named here.',
  'Paris again.',
];

type Step =
  | { readonly kind: 'put'; readonly name: string; readonly texts: readonly string[] }
  | { readonly kind: 'extract' | 'pull' | 'force' | 'build' | 'half_extract' }
  | { readonly kind: 'remove' | 'leave' | 'join'; readonly name: string }
  | { readonly kind: 'remove_chunk'; readonly name: string; readonly place: number };

const name = fc.constantFrom(...NAMES);
const texts = fc.array(fc.constantFrom(...SENTENCES), { minLength: 1, maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), name, texts }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('extract' as const, 'pull', 'force', 'build', 'half_extract') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('remove' as const, 'leave', 'join'), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove_chunk' as const), name, place: fc.nat(3) }) },
);

describeEngines('The graph', (engine) => {
  it('reflects exactly the current documents after any sequence of changes', async () => {
    const store = await engine.openTestStore();
    await store.collections.ensure({ id: collectionId, ownerId: owner, name: 'Default' });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        await store.corpus.remove({ kind: 'all' });
        await store.graphs.reset(collectionId);
        for (const each of steps) {
          await take(store, each);
          await checkTruth(store, engine.name);
        }
      }),
      // PostgreSQL is asked over a socket, several times as slowly.
      { numRuns: engine.name === 'SQLite' ? 15 : 4 },
    );
  }, 120_000);
});

async function take(store: TestStore, step: Step): Promise<void> {
  const { corpus, documentGraphs, graphs, collections } = store;
  switch (step.kind) {
    case 'put': {
      const document = newDocument(step.name);
      const chunks = step.texts.map((text, order) => newChunk(order, text));
      if ((await corpus.get(document.id)) === undefined) {
        await ingest(store, document, chunks);
        return;
      }
      await corpus.begin(document, { replace: true });
      await corpus.stage(document.id, chunks);
      await corpus.publish(document.id, publication(step.texts.join('\n')));
      return;
    }
    case 'half_extract': {
      // As if the process had been killed before saving.
      await documentGraphs.next();
      await documentGraphs.requeue();
      return;
    }
    case 'extract':
      for (;;) {
        const task = await documentGraphs.next();
        if (task === undefined) return;
        await documentGraphs.save(task, 'test', capitalisedWords(task.chunks));
      }
    case 'pull':
    case 'force':
      await graphs.pull(collectionId, { force: step.kind === 'force' });
      return;
    case 'build': {
      const { items } = await graphs.entities({ kind: 'collection', id: collectionId }, page);
      const about = items.map(({ description }) => description).join(' ');
      const memberIds = items.map(({ id }) => id);
      const community = { name: 'All', summary: about, findings: [], rating: 5, ratingExplanation: '', level: 0 };
      await graphs.replaceBuilt(collectionId, [{ ...community, attributes: {}, memberIds }]);
      return;
    }
    case 'remove':
      await corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: newDocument(step.name).id });
      return;
    case 'leave':
      await collections.removeDocuments(collectionId, [newDocument(step.name).id]);
      return;
    case 'join': {
      const { id } = newDocument(step.name);
      if ((await corpus.get(id)) !== undefined) await collections.addDocuments(collectionId, [id]);
      return;
    }
    case 'remove_chunk': {
      const { items } = await corpus.chunksOf(newDocument(step.name).id, page);
      const chunk = items[step.place % Math.max(1, items.length)];
      if (chunk !== undefined) await corpus.removeChunk(chunk.id);
    }
  }
}

async function checkTruth({ corpus, graphs, sqlite }: TestStore, engine: Engine['name']): Promise<void> {
  const inCollection = new Set<string>();
  const saidInCollection: string[] = [];
  for (const documentName of NAMES) {
    const { id } = newDocument(documentName);
    const document = await corpus.get(id);
    const chunks = (await corpus.chunksOf(id, page)).items;
    const said = chunks.map(({ text }) => text);
    const { items } = await graphs.entities({ kind: 'document', id }, page);
    const oracle = capitalisedWords(chunks.map(({ id: chunkId, text }) => ({ chunkId, text, headingPath: [] })));
    for (const entity of items) {
      expect(said.some((text) => text.includes(entity.name))).toBe(true);
      if (entity.description !== '') expect(said.some((text) => text.includes(entity.description))).toBe(true);
      expect(entity.chunkIds.length).toBeGreaterThan(0);
      for (const chunkId of entity.chunkIds) {
        expect(chunks.find((chunk) => chunk.id === chunkId)?.text).toContain(entity.name);
      }
    }
    if (document?.extractionStatus === 'success') {
      expect(items.map((entity) => entity.name).sort()).toEqual(oracle.entities.map((entity) => entity.name).sort());
      const { items: relations } = await graphs.relationships({ kind: 'document', id }, page);
      const pairs = (all: readonly { readonly subject: string; readonly object: string }[]) =>
        all.map(({ subject, object }) => `${subject} ${object}`).sort();
      expect(pairs(relations)).toEqual(pairs(oracle.relationships));
    }
    if (document?.collectionIds.includes(collectionId)) {
      for (const entity of items) inCollection.add(entity.name);
      saidInCollection.push(...said);
    }
  }
  const { items: gathered } = await graphs.entities({ kind: 'collection', id: collectionId }, page);
  for (const { name: gatheredName, chunkIds } of gathered) {
    expect(inCollection).toContain(gatheredName);
    expect(chunkIds.length).toBeGreaterThan(0);
  }
  const { items: communities } = await graphs.communities(collectionId, page);
  for (const { summary, memberIds } of communities) {
    expect(new Set(gathered.map(({ id }) => id))).toEqual(new Set([...gathered.map(({ id }) => id), ...memberIds]));
    for (const sentence of SENTENCES) {
      const words = sentence.replace('.', '');
      if (summary.includes(words)) expect(saidInCollection.some((text) => text.includes(words))).toBe(true);
    }
  }
  const { rows } = await sql<{ orphans: number; names: number; terms: number }>`
    select (select count(*) from graph_names n
        where not exists (select 1 from document_entities e where e.name_key = n.key)
          and not exists (select 1 from graph_entities g where g.name_key = n.key)) as orphans,
      (select count(*) from graph_names) as names,
      (select count(*) from ${sql.table(engine === 'SQLite' ? 'graph_name_terms_docsize' : 'graph_name_terms')}) as terms`.execute(
    sqlite.reader,
  );
  expect(rows[0]).toEqual({ orphans: 0, names: rows[0]?.terms, terms: rows[0]?.terms });
}
