import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everything, type Filter } from '../../../../src/documents/filter.ts';
import { readQueryTerms } from '../../../../src/store/full-text/analyse.ts';
import { type Vocabulary, vocabularyOf } from '../../../../src/store/sql/full-text/filter-vocabulary.ts';
import { countOccurrences } from '../../../../src/store/sql/full-text/postings.ts';
import { presentTerms } from '../../../../src/store/sql/full-text/term-index.ts';
import { compileChunkFilter } from '../../../../src/store/sql/search/compile-filter.ts';
import { keySet } from '../../../../src/store/sql/search/key-set.ts';
import { type Reading, withSnapshot } from '../../../../src/store/sql/search/read-snapshot.ts';
import { searchOperations } from '../../../../src/store/sql/search/search-operations.ts';
import { sqliteSql } from '../../../../src/store/sql/sqlite/sqlite-sql.ts';
import { ingest, newChunk, newDocument, openTestStore } from '../../../support/store.ts';

// SQLite only: it reads FTS5 tables and counts their statements. What is found within a filter is tested on both engines
// in chunk-search.long.test.ts and correct-words.test.ts.

const patient = { check: () => undefined };

const inDocument = (id: string): Filter => ({ kind: 'compare', field: 'document_id', op: 'eq', value: id });

/** Two documents of few chunks, and many words that only others have. */
async function openFilled() {
  const store = await openTestStore();
  const owls = newDocument('Owls of the north');
  const texts = ['The snowy owl hunts by day_light.', 'Die Schneeeule jagt auch tagsüber.', '𐌰𐌱𐌲 und 北极 owls, owls.'];
  const chunks = texts.map((text, order) =>
    newChunk(order, text, { headingPath: ['Owls', 'Hunting'], context: 'About birds' }),
  );
  await ingest(store, owls, chunks);
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  const words = Array.from({ length: 600 }, (_, n) => `hun${letters[n % 26]}${letters[Math.floor(n / 26)]}s`);
  await ingest(store, newDocument('others'), [newChunk(0, words.join(' '))]);
  const database = new DatabaseSync(store.path, { readOnly: true });
  onTestFinished(() => database.close());
  return { store, owls, database };
}

describe('the vocabulary of a few chunks', () => {
  it('has exactly the terms that the index has of them, in its order', async () => {
    const { database } = await openFilled();
    withSnapshot(database, patient, (reading) => {
      const index = presentTerms(reading, 'chunk_terms');
      const own = vocabularyOf(reading, { keys: keySet([1, 2, 3]) });
      if (own === undefined) throw new Error('Three chunks are few.');
      const termsOf = ({ seek }: Pick<Vocabulary, 'seek'>) => {
        const terms: string[] = [];
        for (let term = seek(''); term !== undefined; term = seek(`${term}\u0001`)) terms.push(term);
        return terms;
      };
      const countIn = (term: string) => countOccurrences(index.postings(term), (key) => key <= 3);
      const counted = termsOf(index).flatMap((term) => (countIn(term) > 0 ? [[term, countIn(term)]] : []));
      expect(termsOf(own).map((term) => [term, own.count(term)])).toEqual(counted);
      expect(counted.length).toBeGreaterThan(15);
    });
  });

  it('is read for more chunks after more queries, and not for many, or those of earlier versions', async () => {
    const { database } = await openFilled();
    withSnapshot(database, patient, (reading) => {
      const queriesUntilRead = (chunks: number) => {
        const filter = { keys: keySet(Array.from({ length: chunks }, (_, key) => key)) };
        for (let queries = 1; queries <= 20; queries++) if (vocabularyOf(reading, filter)) return queries;
        return undefined;
      };
      expect([1, 128, 129, 1_000, 1_001].map(queriesUntilRead)).toEqual([1, 1, 2, 8, undefined]);
      expect(vocabularyOf(reading, { keys: keySet([1]), isPast: true })).toBeUndefined();
    });
  });

  it('is not kept where it would take much memory, nor read again', () => {
    const filter = { keys: keySet([1, 2]) };
    let texts = 0;
    const words = (first: number) => Array.from({ length: 60_000 }, (_, n) => `w${first + n}`).join(' ');
    const reading = {
      *rows() {
        for (const key of [1, 2]) yield [key, 'Title', '[]', words(60_000 * texts++)];
      },
    } as unknown as Reading;
    for (let query = 0; query < 3; query++) expect(vocabularyOf(reading, filter)).toBeUndefined();
    expect(texts).toBe(1);
  });

  it('serves a ranking within a filter without postings of other chunks', async () => {
    const { database, owls } = await openFilled();
    const within = inDocument(owls.id);
    let checks = 0;
    const counting = { check: () => void checks++ };
    const rank = (text: string) => {
      checks = 0;
      const filter = compileChunkFilter(sqliteSql, within);
      return searchOperations.rankChunks(database, { ...readQueryTerms(text), filter, limit: 10 }, counting).hits;
    };
    const before = rank('snowy owls');
    rank('hunxqzs');
    expect(rank('snowy owls')).toEqual(before);
    expect(before.map(({ key }) => key).sort()).toEqual([1, 2, 3]);
    // Checked once before the ranking, and not by a statement.
    expect(checks).toBe(1);
  });

  it('saves the walks through the index for words that a document lacks', async () => {
    const { database, owls } = await openFilled();
    let statements = 0;
    const counting = { check: () => void statements++ };
    const search = (text: string, filter: Filter) => {
      statements = 0;
      const compiled = compileChunkFilter(sqliteSql, filter);
      const query = { ...readQueryTerms(text), filter: compiled, limit: 10 };
      return searchOperations.matchingChunks(database, query, counting);
    };
    expect(search('hunxqzs huoqxzs hupqxzs', inDocument(owls.id)).corrections).toEqual([]);
    expect(statements).toBeLessThan(40);
    expect(search('hunxs', inDocument(owls.id)).corrections).toEqual([{ word: 'hunxs', instead: ['hunt'] }]);
    expect(statements).toBeLessThan(40);
    search('hunxqzs huoqxzs hupqxzs', everything);
    expect(statements).toBeGreaterThan(40);
  });
});
