import { type RawBuilder, type Selectable, sql } from 'kysely';
import { diffChunks } from '../../diff-chunks.ts';
import type { DocumentVersion, DocumentVersions, RetirementReceipt, VersionChoice } from '../../versions.ts';
import { type DocumentRow, findRow, toDocuments } from '../documents/document-rows.ts';
import type { PublishParts } from '../documents/publish-document.ts';
import type { OriginalRecords } from '../originals/original-records.ts';
import type { FindOriginal } from '../originals/record-pieces.ts';
import { dialectOf } from '../sql-dialect.ts';
import { currentSpace, type Queries } from '../vector-spaces/space-rows.ts';
import { fromVectorBytes } from '../vector-spaces/vector-bytes.ts';
import { restoreVersion } from './restore-version.ts';
import { type RowAsOf, rowAsOf } from './row-as-of.ts';
import { chunksAsOf, originalAsOf, readChunksAsOf, textAsOf } from './version-content.ts';
import type { DocumentVersionTable } from './version-tables.ts';

/** DocumentVersions in the record store. */
export function createVersions(parts: PublishParts, originals: OriginalRecords): DocumentVersions {
  const { reader } = parts.sqlite;

  /** Runs `read` for a version in one transaction; undefined when there is no such version. */
  const inVersion = <Result>(
    id: string,
    choice: VersionChoice,
    read: (database: Queries, row: RowAsOf) => Promise<Result>,
  ): Promise<Result | undefined> =>
    reader.transaction().execute(async (transaction) => {
      const row = await rowAsOf(transaction, id, choice);
      return row && read(transaction, row);
    });

  const findIn =
    (id: string, choice: VersionChoice): FindOriginal =>
    (wanted) =>
      inVersion(id, choice, (database, row) => originalAsOf(database, row, wanted));

  return {
    list: (id, { offset, limit }) =>
      reader.transaction().execute(async (transaction) => {
        const row = await findRow(transaction, id);
        if (row === undefined || row.generation === 0) return { items: [], total: 0 };
        const counted = await transaction
          .selectFrom('document_versions')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('document_key', '=', row.key)
          .executeTakeFirstOrThrow();
        const isFirst = offset === 0;
        const earlier = await transaction
          .selectFrom('document_versions')
          .selectAll()
          .where('document_key', '=', row.key)
          .orderBy('key', 'desc')
          .limit(isFirst ? limit - 1 : limit)
          .offset(isFirst ? 0 : offset - 1)
          .execute();
        const present = isFirst && limit > 0 ? [toPresent(row)] : [];
        return { items: [...present, ...earlier.map(toVersion)], total: counted.count + 1 };
      }),

    document: (id, choice) => inVersion(id, choice, async (database, row) => (await toDocuments(database, [row]))[0]),
    bytesOf: (id, choice) => originals.read(findIn(id, choice)),
    originalOf: (id, choice) => originals.open(findIn(id, choice)),
    textOf: (id, choice) => inVersion(id, choice, textAsOf),
    chunksOf: async (id, choice, page) =>
      (await inVersion(id, choice, (database, row) => readChunksAsOf(database, row, page))) ?? { items: [], total: 0 },

    vectorsOf: async (id, choice, chunkIds) =>
      (await inVersion(id, choice, (database, row) => readVectors(database, row, chunkIds))) ?? new Map(),

    diff: (id, from, to) =>
      reader.transaction().execute(async (transaction) => {
        const [before, after] = [
          await rowAsOf(transaction, id, { version: from }),
          await rowAsOf(transaction, id, { version: to }),
        ];
        if (before === undefined || after === undefined) return undefined;
        const all = (row: RowAsOf) => readChunksAsOf(transaction, row, { offset: 0, limit: row.chunk_count });
        const { unchanged, differences } = diffChunks((await all(before)).items, (await all(after)).items);
        return { from, to, unchanged, differences };
      }),

    async restore(id, version) {
      const document = await restoreVersion(parts, id, version);
      originals.tidy();
      return document;
    },
  };
}

async function readVectors(
  database: Queries,
  row: RowAsOf,
  ids: readonly string[],
): Promise<Map<string, Float32Array>> {
  const space = await currentSpace(database);
  const vectors = new Map<string, Float32Array>();
  if (space === undefined || ids.length === 0) return vectors;
  const tables: RawBuilder<unknown>[] = [sql`chunk_vectors`, sql`past_chunk_vectors`];
  for (const table of tables) {
    const { rows } = await sql<{ id: string; vector: Uint8Array }>`
      select c.id, v.vector from (${chunksAsOf(row)}) c
      join ${table} v on v.space_key = ${space.key} and v.chunk_key = c.key
      where c.id in ${dialectOf(database).texts(ids)}`.execute(database);
    for (const { id, vector } of rows) vectors.set(id, fromVectorBytes(vector));
  }
  return vectors;
}

type Described = Pick<
  DocumentRow,
  | 'version'
  | 'title'
  | 'type'
  | 'file_name'
  | 'size_in_bytes'
  | 'content_hash'
  | 'text_length'
  | 'chunk_count'
  | 'summary'
>;

const describe = (row: Described) => ({
  version: row.version,
  title: row.title,
  type: row.type,
  fileName: row.file_name,
  sizeInBytes: row.size_in_bytes,
  contentHash: row.content_hash,
  textLength: row.text_length,
  chunkCount: row.chunk_count,
  summary: row.summary,
});

const toPresent = (row: DocumentRow): DocumentVersion => ({
  ...describe(row),
  publishedAt: row.published_at ?? row.created_at,
  replacedAt: null,
  retired: null,
});

const toVersion = (
  row: Described & Pick<Selectable<DocumentVersionTable>, 'valid_from' | 'valid_to' | 'retired_at' | 'receipt'>,
): DocumentVersion => ({
  ...describe(row),
  publishedAt: row.valid_from,
  replacedAt: row.valid_to,
  retired:
    row.retired_at === null
      ? null
      : { at: row.retired_at, receipt: JSON.parse(row.receipt ?? '{}') as RetirementReceipt },
});
