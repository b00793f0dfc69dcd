import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../../../scripts/seeded-random.ts';
import { readSegmentPostings } from '../../../../src/store/sql/full-text/segment-postings.ts';
import { presentTerms } from '../../../../src/store/sql/full-text/term-index.ts';
import { type Reading, withSnapshot } from '../../../../src/store/sql/search/read-snapshot.ts';
import { openTestStore } from '../../../support/store.ts';

const patient = { check: () => undefined };

/** A database whose full-text index is written to directly. */
async function openIndex(): Promise<DatabaseSync> {
  const store = await openTestStore();
  await store.close();
  const database = new DatabaseSync(store.path);
  onTestFinished(() => database.close());
  return database;
}

/** What FTS5 says of each term: key, number in the title and in the body. */
function readByFts5(reading: Reading): Map<string, (readonly number[])[]> {
  const sql = `select term, doc, sum(col = 'title'), sum(col = 'body') from temp.chunk_terms_postings
    group by term, doc order by term, doc`;
  const terms = new Map<string, (readonly number[])[]>();
  for (const [term, ...posting] of reading.rows(sql)) {
    terms.set(String(term), [...(terms.get(String(term)) ?? []), posting.map(Number)]);
  }
  return terms;
}

function readHere(reading: Reading, term: string) {
  const postings = readSegmentPostings(reading, 'chunk_terms', { term });
  return postings && Array.from(postings.keys, (key, at) => [key, postings.titles[at], postings.bodies[at]]);
}

const words = [
  'a',
  'ab',
  'abc',
  'abcdef',
  'abd',
  'b',
  'ß',
  '語',
  ...Array.from({ length: 16 }, (_, number) => `w${number}`),
];

/** Rounds of changes, each in one transaction; the first words are frequent. */
function* changed(database: DatabaseSync, rounds: number): Generator<number> {
  const random = seededRandom(rounds);
  const below = (limit: number) => Math.floor(random.next() * limit);
  const text = (length: number) =>
    Array.from({ length }, () => words[Math.floor(random.next() ** 3 * words.length)]).join(' ');
  const insert = database.prepare('insert into chunk_terms(rowid, title, body) values (?, ?, ?)');
  const remove = database.prepare('delete from chunk_terms where rowid = ?');
  // The last inserted key, which they return, may be that of a page of removed rows, beyond the safe integers.
  for (const statement of [insert, remove]) statement.setReadBigInts(true);
  const present = new Set<number>();
  for (let round = 0; round < rounds; round++) {
    database.exec('begin');
    for (let change = 0; change < 20; change++) {
      const key = 1 + below(200);
      if (present.delete(key)) {
        remove.run(key);
        if (random.next() < 0.5) continue;
      }
      insert.run(key, text(below(4)), text(Math.floor(random.next() ** 4 * 500)));
      present.add(key);
    }
    database.exec('commit');
    // Merges of a few pages leave parts of segments.
    if (round % 3 === 0) database.exec("insert into chunk_terms(chunk_terms, rank) values ('merge', -3)");
    yield round;
  }
}

describe('postings from the pages of FTS5', () => {
  it.each([64, 4_050])('are those that FTS5 itself reads, with pages of %i bytes', async (size) => {
    const database = await openIndex();
    // With small pages, terms, lists of positions and the keys of removed rows continue on further pages.
    database.exec(`insert into chunk_terms(chunk_terms, rank) values ('pgsz', ${size})`);
    let removed = 0;
    for (const round of changed(database, 30)) {
      withSnapshot(database, patient, (reading) => {
        const expected = readByFts5(reading);
        for (const word of [...words, 'missing']) {
          expect(readHere(reading, word), `${word} after round ${round}`).toEqual(expected.get(word) ?? []);
        }
        for (const keys of reading.snapshot.segments.get('chunk_terms')?.removed.values() ?? []) removed += keys.size;
      });
    }
    expect(removed).toBeGreaterThan(0);
  });

  it('are left to FTS5 when there are more than wanted, or when the format is another', async () => {
    const database = await openIndex();
    for (const _ of changed(database, 2));
    const read = (max?: number) =>
      withSnapshot(database, patient, (reading) =>
        readSegmentPostings(reading, 'chunk_terms', { term: 'a', ...(max !== undefined && { max }) }),
      );
    const found = read()?.keys.length ?? 0;
    expect(found).toBeGreaterThan(9);
    expect([read(found)?.keys.length, read(found - 1)]).toEqual([found, undefined]);
    database.enableDefensive(false);
    database.exec("update chunk_terms_config set v = 5 where k = 'version'");
    expect(read()).toBeUndefined();
    const counted = withSnapshot(database, patient, (reading) => presentTerms(reading, 'chunk_terms').postings('a'));
    expect(counted.keys).toHaveLength(found);
  });

  it('of a damaged index are incomplete or left to FTS5, which reports the damage', async () => {
    const database = await openIndex();
    database.exec("insert into chunk_terms(chunk_terms, rank) values ('pgsz', 128)");
    for (const _ of changed(database, 4));
    const pages = database
      .prepare('select id, block from chunk_terms_data where id between 11 and ?')
      .all(Number.MAX_SAFE_INTEGER);
    database.enableDefensive(false);
    const write = database.prepare('update chunk_terms_data set block = ? where id = ?');
    write.setReadBigInts(true);
    const random = seededRandom(3);
    let refused = 0;
    for (let time = 0; time < 100; time++) {
      const { id, block } = pages[Math.floor(random.next() * pages.length)] ?? {};
      if (!(block instanceof Uint8Array)) throw new Error('A page is a BLOB.');
      const damaged = Uint8Array.from(block).subarray(0, Math.ceil(random.next() * block.length));
      for (let byte = 0; byte < 3; byte++) damaged[Math.floor(random.next() * damaged.length)] = random.next() * 256;
      write.run(damaged, id ?? null);
      withSnapshot(database, patient, (reading) => {
        for (const word of words) refused += Number(readHere(reading, word) === undefined);
      });
      write.run(block, id ?? null);
    }
    expect(refused).toBeGreaterThan(0);
  });
});
