import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { defaultAdmin } from '../../../../src/access/principal.ts';
import { visibleFilter } from '../../../../src/access/visible-filter.ts';
import { type DocumentOrder, documentSorts } from '../../../../src/documents/document-order.ts';
import { everything, type Filter } from '../../../../src/documents/filter.ts';
import { describeEngines } from '../../../support/engines.ts';
import { addManyDocuments } from '../../../support/many-documents.ts';
import type { TestStore } from '../../../support/store.ts';

const COUNT = 100_000;
const PAGE = 1_000;
const owner = randomUUID();

describeEngines('A hundred thousand documents', ({ openTestStore }) => {
  it('are listed in every order, one exactly the reverse of the other, within seconds on a busy machine', async () => {
    const store = await openTestStore();
    await addManyDocuments(store, COUNT, owner);
    const ids = async (order: DocumentOrder, offset: number, limit = PAGE) => {
      const { items, total } = await store.corpus.list(everything, { offset, limit, order });
      expect(total).toBe(COUNT);
      return items.map(({ id }) => id);
    };
    for (const by of documentSorts) {
      const [first, last] = [0, COUNT - PAGE];
      const ascending = [await ids({ by, direction: 'asc' }, first), await ids({ by, direction: 'asc' }, last)];
      const descending = [await ids({ by, direction: 'desc' }, last), await ids({ by, direction: 'desc' }, first)];
      expect(descending.map((each) => each.toReversed())).toEqual(ascending);
    }
    const visible = visibleFilter({
      ...defaultAdmin,
      userId: owner,
      isSuperuser: false,
      collectionIds: [randomUUID()],
    });
    for (const filter of [everything, visible]) {
      for (const by of documentSorts) expect(await timeOf(store, filter, { by, direction: 'asc' })).toBeLessThan(2_000);
    }
  });
});

/** Milliseconds for the first page, the median of three. */
async function timeOf({ corpus }: TestStore, filter: Filter, order: DocumentOrder): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 3; run++) {
    const started = performance.now();
    await corpus.list(filter, { offset: 0, limit: 50, order });
    times.push(performance.now() - started);
  }
  return times.sort((one, two) => one - two)[1] ?? 0;
}
