import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { everything } from '../../../../src/documents/filter.ts';
import { readFacets } from '../../../../src/store/sql/documents/read-facets.ts';
import { openSqlite } from '../../../../src/store/sql/sqlite/open-sqlite.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

// SQLite only: about size, in a file that is filled at once. The counts themselves are tested on both engines in
// contracts/corpus.ts.
const DOCUMENTS = 100_000;

it(`counts the facets of ${DOCUMENTS} documents exactly`, async () => {
  const path = join(await temporaryFolder(), 'large.db');
  await (await openSqlite({ path })).close();
  fill(path);
  const sqlite = await openSqlite({ path });
  onTestFinished(() => sqlite.close());
  const facets = await readFacets(sqlite, everything);
  expect(facets.documents).toBe(DOCUMENTS);
  expect(facets.types).toEqual([
    { value: 'pdf', count: DOCUMENTS / 2 },
    { value: 'txt', count: DOCUMENTS / 2 },
  ]);
  expect(facets.collections).toMatchObject([{ count: DOCUMENTS }]);
  expect(facets.metadata.map(({ key, values }) => [key, values.length, values[0]?.count])).toEqual(
    [
      ['department', 10, DOCUMENTS / 10],
      ['isDraft', 2, DOCUMENTS / 2],
      // Every document has two of ten.
      ['tags', 10, DOCUMENTS / 5],
    ].toSorted((one, other) => Number(other[1]) * Number(other[2]) - Number(one[1]) * Number(one[2])),
  );
});

function fill(path: string): void {
  const database = new DatabaseSync(path);
  const time = "'2026-01-01T00:00:00.000Z'";
  database.function('index_terms', { varargs: true }, () => '{}');
  const insert = (first: number, last: number) => {
    database.exec('begin');
    database.exec(`
      with recursive n(i) as (select ${first} union all select i + 1 from n where i < ${last})
      insert into documents (id, owner_id, type, title, metadata, version, source, file_name, media_type, size_in_bytes,
        content_hash, ingestion_status, extraction_status, attempt, settings, total_tokens, text_length, chunk_count,
        generation, created_at, updated_at, published_at)
      select printf('d0000000-0000-4000-8000-%012d', i), 'owner', iif(i % 2, 'pdf', 'txt'), 'Document ' || i,
        json_object('title', 'Document ' || i, 'path', '/papers/' || i, 'year', 1900 + i % 100, 'author', 'author ' || (i % 5000),
          'department', 'd' || (i % 10), 'isDraft', json(iif(i % 2, 'true', 'false')),
          'tags', json_array('t' || (i % 10), 't' || ((i + 1) % 10)), 'note', 'What is said of document ' || i),
        'v0', 'file:///d/' || i, 'd.txt', 'text/plain', 1000, 'h' || i, 'success', 'success', 1, '{}', 100, 1000, 1, 1,
        ${time}, ${time}, ${time} from n;
      insert into document_collections select key, 'c0000000-0000-4000-8000-000000000001' from documents where key > ${first};`);
    database.exec('commit');
  };
  insert(0, 0);
  // The statistics are from a time of one document, as in a library that has grown quickly.
  database.exec('analyze');
  insert(1, DOCUMENTS - 1);
  database.close();
}
