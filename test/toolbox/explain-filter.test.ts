import { expect, it } from 'vitest';
import { everything } from '../../src/documents/filter.ts';
import { explainFilter } from '../../src/toolbox/explain-filter.ts';
import { addDocument } from '../support/agent-over-store.ts';
import { openTestStore } from '../support/store.ts';

it('the explanation of a filter says when only the newest documents were looked at', async () => {
  const { corpus } = await openTestStore();
  const document = await addDocument({ corpus }, 'Tea', ['About tea.'], { metadata: { year: 2020 } });
  const explain = (total: number, filters: Record<string, unknown>) =>
    explainFilter(filters, { library: { list: async () => ({ items: [document], total }) }, visible: everything });
  expect(await explain(1, { title: 'Coffee' })).toBe('No document has title "Coffee"; it is "Tea".');
  expect(await explain(2, { title: 'Coffee' })).toBe('None of the 1 newest documents has title "Coffee"; it is "Tea".');
  expect(await explain(2, { yeer: 2020 })).toMatch(/^None of the 1 newest documents has the field "yeer"\. Fields: /);
  expect(await explain(2, { title: 'Tea' })).toBeUndefined();
});
