import { expect, it } from 'vitest';
import { documentRows } from '../../src/cli/documents.ts';

it('lists the path of documents whose titles are the same', () => {
  const record = {
    document_type: 'md',
    size_in_bytes: 100,
    ingestion_status: 'success',
    metadata: {},
    collection_ids: [],
    created_at: '2026-11-27T00:00:00Z',
    updated_at: '2026-11-27T00:00:00Z',
  };
  const rows = documentRows([
    { ...record, id: 'a', title: 'README.md', source: 'file:///one/README.md' },
    { ...record, id: 'b', title: 'README.md', source: 'https://example.org/README.md' },
    { ...record, id: 'c', title: 'README.md', source: null },
    { ...record, id: 'd', title: 'notes.md', source: 'file:///one/notes.md' },
  ]);
  expect(rows.map(([, , , , ...titles]) => titles)).toEqual([
    ['README.md', '/one/README.md'],
    ['README.md', 'https://example.org/README.md'],
    ['README.md'],
    ['notes.md'],
  ]);
});
