import { describe, expect, it } from 'vitest';
import { everything, type Filter } from '../../../../src/documents/filter.ts';
import type { Correction } from '../../../../src/store/chunk-search.ts';
import { readQueryTerms } from '../../../../src/store/full-text/analyse.ts';
import { correctWords } from '../../../../src/store/sql/full-text/correct-words.ts';
import { createVocabulary } from '../../../../src/store/sql/full-text/filter-vocabulary.ts';
import { noPostings } from '../../../../src/store/sql/full-text/postings.ts';
import { describeEngines } from '../../../support/engines.ts';
import { ingest, newChunk, newDocument } from '../../../support/store.ts';

describeEngines('Spelling correction', ({ openTestStore }) => {
  const STRANGER = '6b9f1f3e-0000-4000-8000-000000000000';

  async function searching(...texts: readonly string[]) {
    const store = await openTestStore();
    await ingest(
      store,
      newDocument('guide'),
      texts.map((text, order) => newChunk(order, text)),
    );
    const search = store.chunks;
    return async (text: string, asOf?: string) => {
      const reported: Correction[] = [];
      const corrected = (corrections: readonly Correction[]) => reported.push(...corrections);
      const hits = await search.matching({ text, filter: everything, limit: 10, corrected, ...(asOf && { asOf }) });
      return { texts: hits.map((hit) => hit.text), reported };
    };
  }

  describe('a misspelt word', () => {
    it('finds what the correct one would, and returns the correction', async () => {
      const ask = await searching(
        'the development of engines',
        'happiness in the city',
        'Хорошая погода',
        'die Versicherung und das Haus ist der Teil',
      );
      for (const [typed, word, found] of [
        ['developmnet', 'developmnet', 'the development of engines'],
        ['devlopment', 'devlopment', 'the development of engines'],
        ['hapiness', 'hapiness', 'happiness in the city'],
        ['хрошая', 'хрошая', 'Хорошая погода'],
        ['Versichrung', 'versichrung', 'die Versicherung und das Haus ist der Teil'],
      ] as const) {
        const { texts, reported } = await ask(typed);
        expect(texts, typed).toEqual([found]);
        expect(reported[0]?.word).toBe(word);
      }
      const later = new Date(Date.now() + 60_000).toISOString();
      expect((await ask('devlopment', later)).texts).toEqual(['the development of engines']);
    });

    it('may have two edits when it is long', async () => {
      const ask = await searching('the archaeological museum', 'a stone');
      expect((await ask('archeolgical')).texts).toEqual(['the archaeological museum']);
      expect((await ask('stxxe')).texts).toEqual([]);
    });

    it('ranks below an exact match', async () => {
      const ask = await searching('release it', 'page it');
      expect((await ask('relase page')).texts).toEqual(['page it', 'release it']);
    });

    it('is never assumed for a number, an identifier or a short word', async () => {
      const ask = await searching('order 1234567 for user_name of getUserName', 'a wind');
      for (const typed of ['1234568', 'user_nane', 'getUserNane', 'wynd']) {
        expect((await ask(typed)).reported, typed).toEqual([]);
      }
    });

    it('is not assumed for a word that exists', async () => {
      const ask = await searching('trust between people', 'thrust of an engine');
      const { texts, reported } = await ask('trust');
      expect(texts).toEqual(['trust between people']);
      expect(reported).toEqual([]);
    });

    it('is corrected without using words of other users’ documents', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('own'), [newChunk(0, 'the development of engines')]);
      await ingest(store, newDocument('foreign', { ownerId: STRANGER }), [
        newChunk(0, 'codename xylophagous, envelopment'),
      ]);
      const search = store.chunks;
      const own = { kind: 'compare', field: 'owner_id', op: 'eq', value: newDocument('own').ownerId } as const;
      const ask = async (text: string, filter: Filter) => {
        const reported: Correction[] = [];
        await search.matching({
          text,
          filter,
          limit: 10,
          corrected: (corrections) => reported.push(...corrections),
        });
        return reported.map(({ word }) => word);
      };
      expect(await ask('xylophagus', everything)).toEqual(['xylophagus']);
      expect(await ask('xylophagus', own)).toEqual([]);
      // Words that only other users wrote count as unknown.
      expect(await ask('envelopment', everything)).toEqual([]);
      expect(await ask('envelopment', own)).toEqual(await ask('ebvelopment', own));
    });

    it('is one that no readable document contains, whatever the few that pass a filter contain', async () => {
      const store = await openTestStore();
      await ingest(store, newDocument('own'), [newChunk(0, 'thrust of an engine')]);
      await ingest(store, newDocument('other'), [newChunk(0, 'trust between people')]);
      await ingest(store, newDocument('foreign', { ownerId: STRANGER }), [newChunk(0, 'thrusd is no word')]);
      const own = { kind: 'compare', field: 'document_id', op: 'eq', value: newDocument('own').id } as const;
      const readable = { kind: 'compare', field: 'owner_id', op: 'eq', value: newDocument('own').ownerId } as const;
      const later = new Date(Date.now() + 60_000).toISOString();
      for (const asOf of [undefined, later]) {
        const ask = async (text: string, within?: Filter) => {
          const hits = await store.chunks.matching({ text, filter: own, readable: within, asOf, limit: 10 });
          return hits.map((hit) => hit.text);
        };
        expect(await ask('trust')).toEqual(['thrust of an engine']);
        expect(await ask('trust', readable)).toEqual([]);
        expect(await ask('trust', everything)).toEqual([]);
        // A word of a document that may not be read is as unknown as any other.
        expect(await ask('thrusd', readable)).toEqual(['thrust of an engine']);
        expect(await ask('thrusd', everything)).toEqual([]);
        expect(await ask('thruzt', everything)).toEqual(['thrust of an engine']);
      }
    });
  });
});

describe('Looking for words like an unknown one', () => {
  function indexOf(...terms: readonly string[]) {
    const vocabulary = createVocabulary([{ key: 1, title: '', body: terms.join(' ') }], 1);
    const chunks = { lengths: Int32Array.of(-1, 1), count: 1, mean: 1, scores: new Float64Array(2) };
    const calls = { count: 0, seek: 0 };
    const index = {
      chunks,
      count(term: string) {
        calls.count++;
        return vocabulary?.count(term) ?? 0;
      },
      postings: (term: string) => vocabulary?.postings(term) ?? noPostings,
      seek(from: string) {
        calls.seek++;
        return vocabulary?.seek(from);
      },
    };
    return { index, calls };
  }
  const correct = (index: Parameters<typeof correctWords>[0], text: string) =>
    correctWords(index, readQueryTerms(text).words, { allowed: undefined });

  it('counts only terms that exist among the stems of some hundred variants', () => {
    const { index, calls } = indexOf('develop', 'devot', 'gener', 'organ', 'zebra');
    expect(correct(index, 'developmnet')).toEqual([{ word: 'developmnet', instead: ['develop'] }]);
    expect(calls.count).toBeLessThan(10);
    expect(calls.seek).toBeLessThan(50);
  });

  it('finds the stem of a variant wherever it is in the vocabulary', () => {
    for (const others of [[], ['zebra'], ['aard'], ['gene', 'generousz', 'genf'], ['gener-', 'génér', '東京']]) {
      const { index } = indexOf('gener', ...others);
      expect(correct(index, 'generalizatoins')).toEqual([{ word: 'generalizatoins', instead: ['gener'] }]);
    }
  });
});
