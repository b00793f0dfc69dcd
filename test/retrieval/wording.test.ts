import { describe, expect, it } from 'vitest';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { createRetriever } from '../../src/retrieval/create-retriever.ts';
import { defaultSearchSettings, type SearchKind, type SearchSettings } from '../../src/retrieval/search-settings.ts';
import { describeEngines } from '../support/engines.ts';
import { ingest, newChunk, newDocument, testSpace } from '../support/store.ts';

const embedder: EmbeddingModel = {
  name: testSpace.embedder,
  isLexical: false,
  space: async () => testSpace,
  embed: async (texts) => texts.map(() => Float32Array.of(1, 0, 0, 0)),
};
const kinds: readonly SearchKind[] = ['full_text', 'semantic', 'hybrid'];
const { signal } = new AbortController();

const apples = ['a red apple fell', 'an apple that is red', 'green apples and red paint', 'the pear was ripe'];

describeEngines('The wording of a query', (engine) => {
  async function searching(chunkTexts: readonly string[], given: { readonly title?: string } = {}) {
    const store = await engine.openTestStore();
    const chunks = chunkTexts.map((text, order) =>
      newChunk(order, text, { vector: Float32Array.of(1, order / 100, 0, 0) }),
    );
    await ingest(store, newDocument(given.title ?? 'guide'), chunks);
    const search = store.chunks;
    const retriever = createRetriever({ chunks: search, embedder });
    const ask = (query: string, change: Partial<SearchSettings> = {}) =>
      retriever.search(query, { ...defaultSearchSettings, ...change }, signal);
    const texts = async (query: string, change: Partial<SearchSettings> = {}) =>
      (await ask(query, change)).chunks.map(({ text }) => text);
    return { ask, texts, store };
  }

  describe('words in quotation marks', () => {
    it('are adjacent in every hit of every search mode', async () => {
      const { texts } = await searching(apples);
      for (const kind of kinds) {
        expect(await texts('"red apple"', { kind })).toEqual(['a red apple fell']);
        expect(await texts('"apples and red" paint', { kind })).toEqual(['green apples and red paint']);
      }
    });

    it('may occur in the title', async () => {
      const { texts } = await searching(['first words', 'second words'], { title: 'Annual report' });
      expect(await texts('"annual report" second', { kind: 'full_text' })).toEqual(['second words', 'first words']);
    });

    it('are searched one by one if no chunk contains the phrase, and a note says so', async () => {
      const { ask } = await searching(apples);
      const { chunks, explanation } = await ask('"purple apple"', { kind: 'full_text' });
      expect(chunks).toHaveLength(3);
      expect(explanation.notes.join()).toMatch(/No passage contains the phrase "purple apple"/);
      expect(explanation.phraseFilters).toEqual({
        phrases: ['purple apple'],
        required: [],
        preferred: [],
        excluded: [],
      });
    });

    it('are matched as far as they occur together', async () => {
      const { ask } = await searching(apples);
      const some = await ask('"red apple" "purple pear"', { kind: 'full_text' });
      expect(some.chunks.map(({ text }) => text)).toEqual(['a red apple fell']);
      const apart = await ask('"red apple" "the pear"', { kind: 'full_text' });
      expect(apart.chunks.length).toBeGreaterThan(2);
      expect(apart.explanation.notes.join()).toMatch(/contains all quoted phrases/);
    });

    it('rank chunks with the phrase first when a question quotes it, without losing others', async () => {
      const { ask } = await searching(apples);
      const { chunks, explanation } = await ask('What is "apple that is red" of an apple?', { kind: 'hybrid' });
      expect(chunks[0]?.text).toBe('an apple that is red');
      expect(chunks).toHaveLength(4);
      const scores = chunks.map(({ score }) => score);
      expect(scores).toEqual([...scores].sort((one, two) => two - one));
      expect(explanation.phraseFilters?.preferred).toEqual(['apple that is red']);
    });

    it('rank chunks with the phrase first in a longer query, such as an error message', async () => {
      const { ask } = await searching(apples);
      const { chunks, explanation } = await ask('cannot read apple: property "red apple" of pear was not defined');
      expect(chunks[0]?.text).toBe('a red apple fell');
      expect(chunks).toHaveLength(4);
      expect(explanation.phraseFilters).toMatchObject({ required: [], preferred: ['red apple'] });
    });

    it('are recognised in every script', async () => {
      const { texts } = await searching([
        '深い機械学習の本',
        '機械の学習',
        '学習機械',
        'ระบบการเรียนรู้ของเครื่อง',
        'เครื่องเรียน',
        'यह मशीन लर्निंग है',
        'लर्निंग मशीन',
        'call getUserName now',
        'get the user a name',
        'هذه لغة الآلة',
        'آلة لغة',
        '한국어 처리 기술',
        '기술 한국어',
        'Das ist die Politik der deutschen Bundesbank.',
        'die Bundesbank der Deutschen und das',
      ]);
      const saying = (phrase: string) => texts(`"${phrase}"`, { kind: 'full_text' });
      expect(await saying('機械学習')).toEqual(['深い機械学習の本']);
      expect(await saying('การเรียนรู้')).toEqual(['ระบบการเรียนรู้ของเครื่อง']);
      expect(await saying('मशीन लर्निंग')).toEqual(['यह मशीन लर्निंग है']);
      expect(await saying('getUserName')).toEqual(['call getUserName now']);
      expect(await saying('لغة الآلة')).toEqual(['هذه لغة الآلة']);
      expect(await saying('한국어 처리')).toEqual(['한국어 처리 기술']);
      expect(await saying('deutschen Bundesbank')).toEqual(['Das ist die Politik der deutschen Bundesbank.']);
    });
  });

  describe('a hyphen before a word', () => {
    it('excludes the word from every hit of every search mode', async () => {
      const { texts, ask } = await searching([...apples, 'an apple fell']);
      for (const kind of kinds) {
        const withoutWord = await texts('apple -red', { kind });
        expect(withoutWord).toContain('an apple fell');
        expect(withoutWord.filter((text) => text.includes('red'))).toEqual([]);
        const withoutPhrase = await texts('apple -"red apple"', { kind });
        expect(withoutPhrase).toContain('an apple that is red');
        expect(withoutPhrase).not.toContain('a red apple fell');
        expect((await ask('apple -red', { kind })).explanation.phraseFilters?.excluded).toEqual(['red']);
        expect(await texts('apple -red -"the pear"', { kind })).toEqual(['an apple fell']);
      }
    });

    it('excludes the word from earlier versions too', async () => {
      const { ask } = await searching(apples);
      const asOf = new Date(Date.now() + 60_000).toISOString();
      const { chunks } = await ask('apple -paint', { kind: 'hybrid', asOf });
      expect(chunks.map(({ text }) => text)).not.toContain('green apples and red paint');
      expect(chunks).toHaveLength(3);
    });

    it('is applied before the limit and together with the filter', async () => {
      const { texts } = await searching(
        Array.from({ length: 40 }, (_, at) => `apple ${at < 30 ? 'bad' : 'good'} ${at}`),
      );
      const filter = { kind: 'compare', field: 'chunk_order', op: 'gte', value: 25 } as const;
      expect(await texts('apple -bad', { kind: 'semantic', limit: 5 })).toHaveLength(5);
      expect(await texts('apple -bad', { kind: 'full_text', limit: 50, filter })).toHaveLength(10);
    });

    it('is refused in a query without other words', async () => {
      const { ask } = await searching(apples);
      await expect(ask('-red')).rejects.toMatchObject({
        code: 'invalid_request',
        message: /contains only exclusions/,
      });
    });
  });
});
