import { describe, expect, it } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import { visibleFilter } from '../../src/access/visible-filter.ts';
import { everything, isDocument } from '../../src/documents/filter.ts';
import { defaultSearchSettings } from '../../src/retrieval/search-settings.ts';
import { visibleTo } from '../../src/retrieval/visible-to.ts';

describe('A search restricted to what its caller may see', () => {
  const user = { ...defaultAdmin, isSuperuser: false };
  const visible = visibleFilter(user);

  it('keeps what the caller may read apart from the filter of the request', () => {
    const filter = isDocument('5b0f1c1e-7c55-4c53-9d2e-1f4f4f1f0001');
    expect(visibleTo(user, { ...defaultSearchSettings, filter })).toMatchObject({
      filter: { kind: 'and', filters: [visible, filter] },
      readable: visible,
    });
  });

  it('has one filter when the request has none, and none for superusers', () => {
    const ofUser = visibleTo(user, defaultSearchSettings);
    // The same object, which tells the store that there is nothing more to read.
    expect(ofUser.readable).toBe(ofUser.filter);
    expect(visibleTo({ ...user, isSuperuser: true }, defaultSearchSettings)).toMatchObject({
      filter: everything,
      readable: everything,
    });
  });
});
