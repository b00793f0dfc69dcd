import { expect, it, onTestFinished } from 'vitest';
import { seededRandom } from '../../../scripts/seeded-random.ts';
import { everything, type Filter } from '../../../src/documents/filter.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { compareCodePoints } from '../../../src/store/postgres/full-text/compare-code-points.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import type { SqlStore } from '../../../src/store/sql/open-store.ts';
import { describePostgres, postgresDatabase } from '../../support/engines.ts';
import { embeddingText, newChunks, newDocument, publication, testSpace } from '../../support/store.ts';

const WORDS = ['ferry', 'harbour', 'tide', 'gull', 'rope', 'lantern', 'anchor', 'keel'];

describePostgres('A search', () => {
  it('finds after any change what a server finds that has read nothing before', async () => {
    const url = await postgresDatabase();
    const open = async () => {
      const store = await openPostgresStore({ url, index: memoryVectorIndex(), embeddingText, readers: 2 });
      onTestFinished(() => store.close());
      return store;
    };
    const [writer, longRunning] = [await open(), await open()];
    await writer.spaces.claim(testSpace);
    const random = seededRandom(7);
    const pick = <Value>(list: readonly Value[]) => list[Math.floor(random.next() * list.length)] as Value;
    for (let round = 0; round < 6; round++) {
      for (let step = 0; step < 8; step++) await change(writer, pick, random.next());
      const other = await open();
      expect(await searches(longRunning)).toEqual(await searches(other));
    }
  });
});

async function change(store: SqlStore, pick: <Value>(list: readonly Value[]) => Value, chance: number) {
  const document = newDocument(`log ${Math.floor(chance * 12)}`);
  if (chance < 0.2) {
    await store.corpus.remove({ kind: 'compare', field: 'id', op: 'eq', value: document.id });
    return;
  }
  const text = Array.from({ length: 5 }, () => pick(WORDS)).join(' ');
  await store.corpus.begin({ ...document, metadata: { deck: pick([1, 2]) } }, { replace: true });
  await store.corpus.stage(document.id, newChunks(2, text));
  await store.corpus.publish(document.id, publication(text));
}

async function searches({ chunks }: SqlStore) {
  const deck: Filter = { kind: 'compare', field: 'metadata.deck', op: 'eq', value: 1 };
  const found = [];
  for (const filter of [everything, deck]) {
    for (const text of [...WORDS, 'ferry tide', 'lantren']) {
      const hits = await chunks.matching({ text, filter, limit: 20 });
      found.push(hits.map(({ id, score }) => [text, id, score]));
    }
  }
  return found;
}

it('orders terms by code points', () => {
  const terms = ['a', 'ab', '\u{fb01}', '\u{1f600}', '\u{10000}', 'z', '\u{d7ff}', ''];
  const inBytes = [...terms].sort((one, two) => Buffer.compare(Buffer.from(one), Buffer.from(two)));
  expect([...terms].sort(compareCodePoints)).toEqual(inBytes);
});
