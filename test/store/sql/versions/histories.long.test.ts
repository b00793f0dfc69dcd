import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Filter } from '../../../../src/documents/filter.ts';
import { createChunkSearch } from '../../../../src/store/sql/search/chunk-search.ts';
import { describeEngines } from '../../../support/engines.ts';
import { newDocument, type TestStore } from '../../../support/store.ts';
import { directionOf, ingestTexts, timestamp } from './ingest-texts.ts';

describeEngines('Histories', ({ name: engine, openTestStore }) => {
  const WORDS = ['whale', 'harbour', 'lantern', 'compass', 'anchor'];
  const NAMES = ['one', 'two'] as const;
  const all = { offset: 0, limit: 100 };

  type Step =
    | { readonly kind: 'take in'; readonly name: string; readonly chunks: readonly string[] }
    | { readonly kind: 'remove'; readonly name: string }
    | { readonly kind: 'restore'; readonly name: string; readonly back: number }
    | { readonly kind: 'edit'; readonly name: string; readonly place: number };

  const name = fc.constantFrom(...NAMES);
  const chunk = fc.constantFrom(...WORDS.map((word, index) => `The ${word} was number ${index}.`));
  const ingestion = fc.record({
    kind: fc.constant('take in' as const),
    name,
    chunks: fc.array(chunk, { minLength: 1, maxLength: 4 }),
  });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 5, arbitrary: ingestion },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), name }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), name, back: fc.nat(4) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit' as const), name, place: fc.nat(3) }) },
  );

  /** The states of each document with their start times, while it exists. */
  type Histories = Map<
    string,
    { readonly label: string; readonly since: string; readonly chunks: readonly string[] }[]
  >;

  /** Reference implementation: the state of a document at a time. */
  const stateAt = (histories: Histories, name: string, at: string) =>
    histories.get(name)?.findLast(({ since }) => since <= at);

  async function perform(store: TestStore, given: Step, run: string, histories: Histories): Promise<void> {
    const document = newDocument(`${run} ${given.name}`);
    const history = histories.get(given.name) ?? [];
    const last = history.at(-1);
    const follow = (chunks: readonly string[], since: string) => {
      if (last !== undefined && JSON.stringify(chunks) === JSON.stringify(last.chunks)) return;
      const label = `v${last === undefined ? 0 : Number(last.label.slice(1)) + 1}`;
      histories.set(given.name, [...history, { label, since, chunks }]);
    };
    switch (given.kind) {
      case 'take in':
        await ingestTexts(store, document, given.chunks);
        return follow(given.chunks, await timestamp());
      case 'remove':
        await store.corpus.remove(only(document.id));
        histories.delete(given.name);
        return;
      case 'restore': {
        const earlier = history.slice(0, -1);
        const chosen = earlier[given.back % Math.max(1, earlier.length)];
        if (chosen === undefined) return;
        await store.versions.restore(document.id, chosen.label);
        return follow(chosen.chunks, await timestamp());
      }
      case 'edit': {
        // Edits of a current chunk's metadata do not affect earlier versions, and make no new one.
        const { items } = await store.corpus.chunksOf(document.id, all);
        const chunk = items[given.place % Math.max(1, items.length)];
        if (chunk !== undefined) await store.corpus.editChunk(chunk.id, { metadata: { seen: true } });
      }
    }
  }

  const only = (id: string): Filter => ({ kind: 'compare', field: 'document_id', op: 'eq', value: id });

  it('returns the state of a reference model at every time', { timeout: 120_000 }, async () => {
    const store = await openTestStore({ versionsKept: 100 });
    const search = createChunkSearch({
      search: store.sqlite.search,
      collections: { open: (space) => store.index.open(space.collection, space.dimensions) },
      state: store.maintenance.state,
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        const prefix = `run ${run++}`;
        const histories: Histories = new Map();
        const times = [await timestamp()];
        for (const each of steps) {
          await perform(store, each, prefix, histories);
          times.push(await timestamp());
        }
        for (const at of times)
          for (const each of NAMES) await compare(store, { at, name: each, prefix, histories, search });
        expect(await strays(store)).toEqual([]);
      }),
      { numRuns: 8 },
    );
  });

  interface Comparison {
    readonly at: string;
    readonly name: string;
    readonly prefix: string;
    readonly histories: Histories;
    readonly search: ReturnType<typeof createChunkSearch>;
  }

  async function compare(store: TestStore, { at, name, prefix, histories, search }: Comparison): Promise<void> {
    const { id } = newDocument(`${prefix} ${name}`);
    const expected = stateAt(histories, name, at);
    const past = store.corpus.at(at);
    expect((await past.get(id))?.version).toBe(expected?.label);
    const { items } = await past.chunksOf(id, all);
    expect(items.map(({ text }) => text)).toEqual(expected?.chunks ?? []);
    expect((await past.textOf(id))?.text).toBe(expected?.chunks.join('\n'));
    const sorted = [...(expected?.chunks ?? [])].sort();
    const asked = { filter: only(id), limit: 50, asOf: at };
    const byWords = await search.matching({ ...asked, text: WORDS.join(' ') });
    expect(byWords.map(({ text }) => text).sort()).toEqual(sorted);
    const byMeaning = await search.nearest({ ...asked, vector: directionOf('whale'), measure: 'cosine_distance' });
    expect(byMeaning.map(({ text }) => text).sort()).toEqual(sorted);
  }

  /** Orphaned rows, which no document or version refers to. */
  async function strays({ sqlite }: TestStore): Promise<unknown[]> {
    const entries =
      engine === 'SQLite' ? sql`select id as key from past_chunk_terms_docsize` : sql`select key from past_chunk_terms`;
    const { rows } = await sql`
    select 'past chunk' as what, key from past_chunks where key not in (select chunk_key from version_chunks)
    union all select 'present and past', key from past_chunks where key in (select key from chunks)
    union all select 'listed and nowhere', chunk_key from version_chunks
      where chunk_key not in (select key from chunks union select key from past_chunks)
    union all select 'terms', e.key from (${entries}) as e where e.key not in (select key from past_chunks)
    union all select 'no terms', key from past_chunks where key not in (select e.key from (${entries}) as e)
    union all select 'kept', chunk_key from kept_chunks
    union all select 'original', document_key from visible_originals`.execute(sqlite.reader);
    return rows;
  }
});
