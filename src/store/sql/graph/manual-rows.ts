import { ServiceError } from '../../../errors.ts';
import type { GraphParent, GraphRecords } from '../../graph-records.ts';
import type { Database } from '../database.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { findEntity } from './entity-rows.ts';
import { ensureNames, nameForm } from './name-rows.ts';
import { recordKey, removeRow } from './record-id.ts';
import { findRelationship } from './relationship-rows.ts';

type ManualRows = Pick<
  GraphRecords,
  'createEntity' | 'changeEntity' | 'removeEntity' | 'createRelationship' | 'changeRelationship' | 'removeRelationship'
>;

/** Entities and relationships that users create or edit in a collection's graph. */
export function createManualRows({ writer }: Database): ManualRows {
  return {
    createEntity: (collectionId, { name, category, description, metadata }) =>
      writer.transaction().execute(async (transaction) => {
        const now = new Date().toISOString();
        const { key } = await transaction
          .insertInto('graph_entities')
          .values({
            collection_id: collectionId.toLowerCase(),
            name_key: await nameKey(transaction, name),
            origin: 'made',
            name,
            category: category ?? null,
            description: description ?? '',
            metadata: JSON.stringify(metadata ?? {}),
            created_at: now,
            updated_at: now,
          })
          .returning('key')
          .executeTakeFirstOrThrow();
        return required(await findEntity(transaction, graphOf(collectionId), key));
      }),

    changeEntity: (collectionId, id, { name, category, description, metadata }) =>
      writer.transaction().execute(async (transaction) => {
        const key = recordKey('graph_entities', id);
        const known = await findEntity(transaction, graphOf(collectionId), key);
        if (key === undefined || known === undefined) return undefined;
        await transaction
          .updateTable('graph_entities')
          .set({
            origin: 'made',
            ...(name === undefined ? {} : { name, name_key: await nameKey(transaction, name) }),
            ...(category === undefined ? {} : { category }),
            ...(description === undefined ? {} : { description }),
            ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
            updated_at: new Date().toISOString(),
          })
          .where('key', '=', key)
          .execute();
        if (name !== undefined) await renameEnds(transaction, key, name);
        return findEntity(transaction, graphOf(collectionId), key);
      }),

    removeEntity: (collectionId, id) => removeRow(writer, 'graph_entities', collectionId, id),

    createRelationship: (collectionId, given) =>
      writer.transaction().execute(async (transaction) => {
        const subject = await requireEnd(transaction, collectionId, given.subjectId);
        const object = await requireEnd(transaction, collectionId, given.objectId);
        const now = new Date().toISOString();
        const { key } = await transaction
          .insertInto('graph_relationships')
          .values({
            collection_id: collectionId.toLowerCase(),
            subject_key: subject.key,
            object_key: object.key,
            origin: 'made',
            subject: given.subject ?? subject.name,
            predicate: given.predicate,
            object: given.object ?? object.name,
            description: given.description ?? '',
            weight: given.weight ?? 1,
            metadata: JSON.stringify(given.metadata ?? {}),
            created_at: now,
            updated_at: now,
          })
          .returning('key')
          .executeTakeFirstOrThrow();
        return required(await findRelationship(transaction, graphOf(collectionId), key));
      }),

    changeRelationship: (collectionId, id, change) =>
      writer.transaction().execute(async (transaction) => {
        const key = recordKey('graph_relationships', id);
        const known = await findRelationship(transaction, graphOf(collectionId), key);
        if (key === undefined || known === undefined) return undefined;
        const end = async (endId: string | undefined) =>
          endId === undefined ? undefined : await requireEnd(transaction, collectionId, endId);
        const subject = await end(change.subjectId);
        const object = await end(change.objectId);
        const { predicate, description, weight, metadata } = change;
        await transaction
          .updateTable('graph_relationships')
          .set({
            origin: 'made',
            ...(subject && { subject_key: subject.key }),
            ...(object && { object_key: object.key }),
            subject: change.subject ?? subject?.name ?? known.subject,
            object: change.object ?? object?.name ?? known.object,
            ...(predicate === undefined ? {} : { predicate }),
            ...(description === undefined ? {} : { description }),
            ...(weight === undefined ? {} : { weight }),
            ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
            updated_at: new Date().toISOString(),
          })
          .where('key', '=', key)
          .execute();
        return findRelationship(transaction, graphOf(collectionId), key);
      }),

    removeRelationship: (collectionId, id) => removeRow(writer, 'graph_relationships', collectionId, id),
  };
}

const graphOf = (id: string): GraphParent => ({ kind: 'collection', id });

async function nameKey(database: Queries, name: string): Promise<number> {
  const key = (await ensureNames(database, [name])).get(nameForm(name));
  if (key === undefined) throw new ServiceError('invalid_request', 'The name is empty; give the entity one.');
  return key;
}

async function requireEnd(
  database: Queries,
  collectionId: string,
  id: string,
): Promise<{ readonly key: number; readonly name: string }> {
  const row = await database
    .selectFrom('shown_graph_entities')
    .select(['key', 'name'])
    .where('collection_id', '=', collectionId.toLowerCase())
    .where('key', '=', recordKey('graph_entities', id) ?? -1)
    .executeTakeFirst();
  if (row === undefined) throw new ServiceError('not_found', `There is no entity ${id} in the graph ${collectionId}.`);
  return row;
}

async function renameEnds(database: Queries, key: number, name: string): Promise<void> {
  await database.updateTable('graph_relationships').set({ subject: name }).where('subject_key', '=', key).execute();
  await database.updateTable('graph_relationships').set({ object: name }).where('object_key', '=', key).execute();
}

function required<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new ServiceError('internal', 'A graph row was not found after it was created.');
  return row;
}
