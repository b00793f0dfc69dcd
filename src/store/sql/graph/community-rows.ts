import { type RawBuilder, sql } from 'kysely';
import type { Metadata } from '../../../documents/document.ts';
import { ServiceError } from '../../../errors.ts';
import type { GraphOrigin, GraphRecords, NewCommunity, StoredCommunity } from '../../graph-records.ts';
import type { Database } from '../database.ts';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { recordId, recordKey, removeRow } from './record-id.ts';

type Communities = Pick<
  GraphRecords,
  'communities' | 'community' | 'createCommunity' | 'changeCommunity' | 'removeCommunity' | 'replaceBuilt'
>;

interface CommunityRow {
  readonly key: number;
  readonly collection_id: string;
  readonly origin: GraphOrigin;
  readonly name: string;
  readonly summary: string;
  readonly findings: string;
  readonly rating: number;
  readonly rating_explanation: string;
  readonly level: number;
  readonly attributes: string;
  readonly members: string;
  readonly created_at: string;
  readonly updated_at: string;
}

const select = (database: Queries) => sql`
  select c.*, (select ${dialectOf(database).listOf(sql`entity_key`)} from (
    select entity_key from graph_community_members m where m.community_key = c.key order by place) as m) as members
  from shown_graph_communities c`;

/** Communities of a graph's entities. */
export function createCommunities({ reader, writer }: Database): Communities {
  return {
    async communities(collectionId, { offset, limit }) {
      const id = collectionId.toLowerCase();
      const { total } = await reader
        .selectFrom('shown_graph_communities')
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .where('collection_id', '=', id)
        .executeTakeFirstOrThrow();
      const { rows } = await sql<CommunityRow>`
        ${select(reader)} where c.collection_id = ${id} order by c.key limit ${limit} offset ${offset}`.execute(reader);
      return { items: rows.map(toCommunity), total };
    },

    community: (collectionId, id) => find(reader, collectionId, recordKey('graph_communities', id)),

    createCommunity: (collectionId, community) =>
      writer.transaction().execute(async (transaction) => {
        const key = await insertCommunity(transaction, collectionId, 'made', community);
        return required(await find(transaction, collectionId, key));
      }),

    changeCommunity: (collectionId, id, change) =>
      writer.transaction().execute(async (transaction) => {
        const key = recordKey('graph_communities', id);
        const known = await find(transaction, collectionId, key);
        if (key === undefined || known === undefined) return undefined;
        await transaction
          .updateTable('graph_communities')
          .set({
            origin: 'made',
            name: change.name ?? known.name,
            summary: change.summary ?? known.summary,
            findings: JSON.stringify(change.findings ?? known.findings),
            rating: change.rating ?? known.rating,
            rating_explanation: change.ratingExplanation ?? known.ratingExplanation,
            attributes: JSON.stringify(change.attributes ?? known.attributes),
            updated_at: new Date().toISOString(),
          })
          .where('key', '=', key)
          .execute();
        await indexCommunity(transaction, key);
        return find(transaction, collectionId, key);
      }),

    removeCommunity: (collectionId, id) => removeRow(writer, 'graph_communities', collectionId, id),

    replaceBuilt: (collectionId, communities) =>
      writer.transaction().execute(async (transaction) => {
        await transaction
          .deleteFrom('graph_communities')
          .where('collection_id', '=', collectionId.toLowerCase())
          .where('origin', '=', 'extracted')
          .execute();
        for (const community of communities) await insertCommunity(transaction, collectionId, 'extracted', community);
        await transaction
          .updateTable('collections')
          .set({ graph_cluster_status: 'success' })
          .where('id', '=', collectionId.toLowerCase())
          .execute();
      }),
  };
}

async function insertCommunity(
  database: Queries,
  collectionId: string,
  origin: GraphOrigin,
  community: NewCommunity,
): Promise<number> {
  const now = new Date().toISOString();
  const { key } = await database
    .insertInto('graph_communities')
    .values({
      collection_id: collectionId.toLowerCase(),
      origin,
      name: community.name,
      summary: community.summary,
      findings: JSON.stringify(community.findings),
      rating: community.rating,
      rating_explanation: community.ratingExplanation,
      level: community.level,
      attributes: JSON.stringify(community.attributes),
      created_at: now,
      updated_at: now,
    })
    .returning('key')
    .executeTakeFirstOrThrow();
  const members = community.memberIds.flatMap((id, place) => {
    const member = recordKey('graph_entities', id);
    return member === undefined ? [] : [{ member, place }];
  });
  // Entities removed while the community was being described are left out.
  await sql`
    insert into graph_community_members (community_key, entity_key, place)
    select ${key}, e.key, m.place from ${dialectOf(database).rows({ member: 'integer', place: 'integer' }, members)} as m
    join shown_graph_entities e on e.key = m.member and e.collection_id = ${collectionId.toLowerCase()} where true
    on conflict do nothing`.execute(database);
  await indexCommunity(database, key);
  return key;
}

async function indexCommunity(database: Queries, key: number): Promise<void> {
  await dialectOf(database).fullText.remove(database, 'graph_community_terms', sql`${key}`);
  await renewCommunityTerms(database, key);
}

/** Indexes the text of one community, or of all. */
export async function renewCommunityTerms(database: Queries, key: number | null): Promise<void> {
  const own = key === null ? sql`` : sql`where key = ${key}`;
  await dialectOf(database).fullText.add(database, 'graph_community_terms', sql`${communityTexts(database)} ${own}`);
}

/** All communities, with their texts for the index. */
export const communityTexts = (database: Queries): RawBuilder<unknown> => sql`
  select key, '' as title, '[]' as heading_path,
    name || '\n' || summary || '\n' || coalesce(${dialectOf(database).lines(sql`findings`)}, '') as text
  from graph_communities`;

async function find(
  database: Queries,
  collectionId: string,
  key: number | undefined,
): Promise<StoredCommunity | undefined> {
  if (key === undefined) return undefined;
  const { rows } = await sql<CommunityRow>`
    ${select(database)} where c.collection_id = ${collectionId.toLowerCase()} and c.key = ${key}`.execute(database);
  return rows[0] && toCommunity(rows[0]);
}

function required(community: StoredCommunity | undefined): StoredCommunity {
  if (community === undefined) throw new ServiceError('internal', 'A community was not found after it was created.');
  return community;
}

function toCommunity(row: CommunityRow): StoredCommunity {
  return {
    id: recordId('graph_communities', row.key),
    collectionId: row.collection_id,
    origin: row.origin,
    name: row.name,
    summary: row.summary,
    findings: JSON.parse(row.findings) as string[],
    rating: row.rating,
    ratingExplanation: row.rating_explanation,
    level: row.level,
    attributes: JSON.parse(row.attributes) as Metadata,
    memberIds: (JSON.parse(row.members) as number[]).map((key) => recordId('graph_entities', key)),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
