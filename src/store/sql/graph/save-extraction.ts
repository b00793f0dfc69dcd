import { sql } from 'kysely';
import type { Entity, ExtractedGraph, Mention, Relationship } from '../../graph-records.ts';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { ensureNames, nameForm } from './name-rows.ts';

/** A stored mention: the row mentioned, the chunk, start and end offset. */
type MentionSpan = readonly [row: number, chunk: number, start: number, end: number];

/**
 * Replaces the document's graph. Rows with the same names are kept, so that the collection graphs and communities built
 * on them stay valid; rows that are no longer mentioned are removed by triggers.
 */
export async function saveExtraction(
  database: Queries,
  document: { readonly key: number; readonly generation: number },
  graph: ExtractedGraph,
): Promise<void> {
  const chunks = await chunkKeys(database, document);
  const isFirst = !(await hasExtraction(database, document.key));
  const entities = withEnds(graph).flatMap((entity) => {
    const mentions = knownPlaces(entity.mentions, chunks);
    // An entity without any mention in the chunks has no evidence and is left out.
    return mentions.length === 0 ? [] : [{ ...entity, mentions }];
  });
  const names = await ensureNames(
    database,
    entities.map(({ name }) => name),
  );
  const now = new Date().toISOString();
  const rowOf = await upsertEntities(database, document.key, { entities, names, now });
  const entityPlaces = entities.flatMap(({ name, mentions }) => places(rowOf.get(nameForm(name)), mentions, chunks));
  await addMentions(database, 'entity', entityPlaces);
  if (!isFirst) {
    await dropOtherMentions(database, 'entity', document.key, entityPlaces);
    const descriptions = entities.map(({ name, description }) => [rowOf.get(nameForm(name)), description] as const);
    await describe(database, 'entity', descriptions);
  }

  const relationships = graph.relationships.flatMap((each) => {
    const subject = rowOf.get(nameForm(each.subject));
    const object = rowOf.get(nameForm(each.object));
    const mentions = knownPlaces(each.mentions, chunks);
    if (subject === undefined || object === undefined || mentions.length === 0) return [];
    return [{ ...each, mentions, subjectKey: subject, objectKey: object }];
  });
  const relationOf = await upsertRelationships(database, document.key, relationships, now);
  const keyOf = ({ subjectKey, objectKey, predicate }: StoredRelation) =>
    relationOf.get(relationName(subjectKey, objectKey, predicate));
  const relationPlaces = relationships.flatMap((each) => places(keyOf(each), each.mentions, chunks));
  await addMentions(database, 'relationship', relationPlaces);
  if (isFirst) return;
  await dropOtherMentions(database, 'relationship', document.key, relationPlaces);
  const descriptions = relationships.map((each) => [keyOf(each), each.description] as const);
  await describe(database, 'relationship', descriptions);
}

async function hasExtraction(database: Queries, document: number): Promise<boolean> {
  const row = await database
    .selectFrom('document_entities')
    .select('key')
    .where('document_key', '=', document)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The distinct mentions in chunks that exist. */
function knownPlaces(mentions: readonly Mention[], chunks: ReadonlyMap<string, number>): Mention[] {
  const places = new Map(mentions.map((mention) => [`${mention.chunkId} ${mention.start}`, mention]));
  return [...places.values()].filter(({ chunkId }) => chunks.has(chunkId));
}

async function chunkKeys(
  database: Queries,
  document: { readonly key: number; readonly generation: number },
): Promise<ReadonlyMap<string, number>> {
  const rows = await database
    .selectFrom('chunks')
    .select(['id', 'key'])
    .where('document_key', '=', document.key)
    .where('generation', '=', document.generation)
    .execute();
  return new Map(rows.map(({ id, key }) => [id, key]));
}

/** The entities plus the ends of relationships that are not among them; these get the relationship's mentions. */
function withEnds({ entities, relationships }: ExtractedGraph): Entity[] {
  const all = new Map<string, Entity>();
  for (const entity of entities) {
    const folded = nameForm(entity.name);
    const known = all.get(folded);
    if (folded === '' || entity.mentions.length === 0) continue;
    all.set(folded, known === undefined ? entity : { ...known, mentions: [...known.mentions, ...entity.mentions] });
  }
  const missing = new Map<string, Entity>();
  for (const { subject, object, mentions } of relationships) {
    for (const name of [subject, object]) {
      const folded = nameForm(name);
      if (folded === '' || all.has(folded)) continue;
      const known = missing.get(folded)?.mentions ?? [];
      const entity = { name, category: null, description: '', metadata: {}, mentions: [...known, ...mentions] };
      missing.set(folded, entity);
    }
  }
  return [...all.values(), ...missing.values()];
}

function places(
  row: number | undefined,
  mentions: readonly Mention[],
  chunks: ReadonlyMap<string, number>,
): MentionSpan[] {
  if (row === undefined) return [];
  return mentions.flatMap(({ chunkId, start, end }) => {
    const chunk = chunks.get(chunkId);
    return chunk === undefined ? [] : [[row, chunk, start, end] as const];
  });
}

async function upsertEntities(
  database: Queries,
  document: number,
  given: {
    readonly entities: readonly Entity[];
    readonly names: ReadonlyMap<string, number>;
    readonly now: string;
  },
): Promise<ReadonlyMap<string, number>> {
  const rows = given.entities.map(({ name, category, metadata, description, mentions }) => ({
    name_key: given.names.get(nameForm(name)),
    name,
    category,
    description,
    metadata: JSON.stringify(metadata),
    mentions: mentions.length,
  }));
  const { now } = given;
  const saved = await sql<{ key: number; folded: string }>`
    insert into document_entities
      (document_key, name_key, name, category, description, metadata, mentions, created_at, updated_at)
    select ${document}, given.*, ${now}, ${now} from ${dialectOf(database).rows(ENTITY, rows)} as given where true
    on conflict (document_key, name_key) do update set
      name = excluded.name, category = excluded.category, metadata = excluded.metadata, updated_at = excluded.updated_at
    returning key, (select folded from graph_names n where n.key = name_key) as folded`.execute(database);
  return new Map(saved.rows.map(({ key, folded }) => [folded, key]));
}

const ENTITY = {
  name_key: 'integer',
  name: 'text',
  category: 'text',
  description: 'text',
  metadata: 'text',
  mentions: 'integer',
} as const;

interface StoredRelation extends Relationship {
  readonly subjectKey: number;
  readonly objectKey: number;
}

const relationName = (subject: number, object: number, predicate: string): string =>
  `${subject}\n${object}\n${predicate}`;

async function upsertRelationships(
  database: Queries,
  document: number,
  relationships: readonly StoredRelation[],
  now: string,
): Promise<ReadonlyMap<string, number>> {
  // A PostgreSQL statement can upsert a row only once, so only the last of duplicate relationships is written.
  const rows = new Map(
    relationships.map(({ subjectKey, objectKey, predicate, description, weight, metadata }) => [
      relationName(subjectKey, objectKey, predicate),
      {
        subject_key: subjectKey,
        object_key: objectKey,
        predicate,
        description,
        weight,
        metadata: JSON.stringify(metadata),
      },
    ]),
  );
  const saved = await sql<{ key: number; subject_key: number; object_key: number; predicate: string }>`
    insert into document_relationships
      (document_key, subject_key, object_key, predicate, description, weight, metadata, created_at, updated_at)
    select ${document}, given.*, ${now}, ${now} from ${dialectOf(database).rows(RELATIONSHIP, [...rows.values()])} as given where true
    on conflict (subject_key, object_key, predicate) do update set
      weight = excluded.weight, metadata = excluded.metadata, updated_at = excluded.updated_at
    returning key, subject_key, object_key, predicate`.execute(database);
  return new Map(saved.rows.map((row) => [relationName(row.subject_key, row.object_key, row.predicate), row.key]));
}

const RELATIONSHIP = {
  subject_key: 'integer',
  object_key: 'integer',
  predicate: 'text',
  description: 'text',
  weight: 'real',
  metadata: 'text',
} as const;

const SPAN = { row: 'integer', chunk: 'integer', start: 'integer', end: 'integer' } as const;

const tables = {
  entity: { rows: sql.table('document_entities'), mentions: sql.table('entity_mentions'), row: sql.ref('entity_key') },
  relationship: {
    rows: sql.table('document_relationships'),
    mentions: sql.table('relationship_mentions'),
    row: sql.ref('relationship_key'),
  },
} as const;

async function addMentions(
  database: Queries,
  kind: keyof typeof tables,
  wanted: readonly MentionSpan[],
): Promise<void> {
  const { mentions, row } = tables[kind];
  await sql`
    insert into ${mentions} (${row}, chunk_key, start_offset, end_offset)
    select * from ${dialectOf(database).rows(
      SPAN,
      wanted.map(([row, chunk, start, end]) => ({ row, chunk, start, end })),
    )} as given
    where true
    on conflict do nothing`.execute(database);
}

/** Runs after the new mentions are inserted, so that a row that is still mentioned never lacks a mention. */
async function dropOtherMentions(
  database: Queries,
  kind: keyof typeof tables,
  document: number,
  wanted: readonly MentionSpan[],
): Promise<void> {
  const { rows, mentions, row } = tables[kind];
  const there = await sql<{ row: number; chunk: number; start: number }>`
    select m.${row} as "row", m.chunk_key as chunk, m.start_offset as start
    from ${rows} r join ${mentions} m on m.${row} = r.key where r.document_key = ${document}`.execute(database);
  if (kind === 'entity') {
    await sql`
      update document_entities
      set mentions = (select count(*) from entity_mentions m where m.entity_key = document_entities.key)
      where document_key = ${document}`.execute(database);
  }
  const kept = new Set(wanted.map(([key, chunk, start]) => `${key} ${chunk} ${start}`));
  const gone = there.rows.filter(({ row: key, chunk, start }) => !kept.has(`${key} ${chunk} ${start}`));
  if (gone.length === 0) return;
  const list = dialectOf(database).rows({ row: 'integer', chunk: 'integer', start: 'integer' }, gone);
  await sql`
    delete from ${mentions} where (${row}, chunk_key, start_offset) in (select * from ${list} as gone)`.execute(
    database,
  );
}

/** Runs after old mentions are deleted, which also deletes the description. */
async function describe(
  database: Queries,
  kind: keyof typeof tables,
  descriptions: readonly (readonly [number | undefined, string])[],
): Promise<void> {
  const nonEmpty = descriptions.flatMap(([row, text]) => (row === undefined || text === '' ? [] : [{ row, text }]));
  if (nonEmpty.length === 0) return;
  const { rows } = tables[kind];
  await sql`
    update ${rows} set description = given.text
    from ${dialectOf(database).rows({ row: 'integer', text: 'text' }, nonEmpty)} as given where ${rows}.key = given.row`.execute(
    database,
  );
}
