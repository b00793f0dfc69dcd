import type { Document } from '../documents/document.ts';
import { allOf, type Filter } from '../documents/filter.ts';
import { defaultCollectionId, isMadeFromName, isUuid, newId } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { Corpus, DocumentListPage, Page, Paged } from '../store/corpus.ts';
import type { Collection, CollectionMember, CollectionRecords } from '../store/records.ts';
import type { Principal } from './principal.ts';
import { mayChange, visibleFilter } from './visible-filter.ts';

export interface SharedCollectionsParts {
  readonly collections: CollectionRecords;
  readonly corpus: Pick<Corpus, 'list'>;
}

export interface CollectionQuery extends Page {
  /** Empty selects all. */
  readonly ids: readonly string[];
  /** Excludes collections the caller is only a member of. */
  readonly ownerOnly: boolean;
}

/** A document that was neither added nor removed, with the reason. */
export interface UnchangedDocument {
  readonly documentId: string;
  readonly code: 'not_found' | 'forbidden' | 'conflict';
  readonly message: string;
}

/**
 * Access to collections on behalf of a caller (docs/contract.md 9): members read, owners manage, superusers
 * do both. To all others a collection is `not_found`; operations reserved to the owner are `forbidden` to members.
 * Membership itself is managed in `memberships.ts`.
 */
export interface SharedCollections {
  /** `id` sets the identifier, for migration. Throws `conflict` if it exists, `forbidden` if it may not be chosen. */
  create(
    by: Principal,
    collection: { readonly id?: string; readonly name: string; readonly description?: string },
  ): Promise<Collection>;
  list(by: Principal, query: CollectionQuery): Promise<Paged<Collection>>;
  get(by: Principal, id: string): Promise<Collection>;
  /** `ownerId` defaults to the caller. */
  findByName(by: Principal, name: string, ownerId?: string): Promise<Collection>;
  /** The collection, if the caller may change it. */
  require(by: Principal, id: string): Promise<Collection>;
  update(
    by: Principal,
    id: string,
    change: { readonly name?: string; readonly description?: string },
  ): Promise<Collection>;
  /** Throws `invalid_request` for its owner's default collection. */
  remove(by: Principal, id: string): Promise<{ readonly documents: number; readonly users: number }>;
  documents(by: Principal, id: string, page: DocumentListPage): Promise<Paged<Document>>;
  /**
   * Adds documents in one transaction. Returns those that were not added: `not_found` for one the caller may not see,
   * `conflict` if it is in the collection already.
   */
  addDocuments(by: Principal, id: string, documentIds: readonly string[]): Promise<readonly UnchangedDocument[]>;
  /**
   * Removes documents in one transaction, and returns those that were not removed. Each requires the owner of the
   * collection or of the document.
   */
  removeDocuments(by: Principal, id: string, documentIds: readonly string[]): Promise<readonly UnchangedDocument[]>;
  members(by: Principal, id: string, page: Page): Promise<Paged<CollectionMember>>;
}

export function createSharedCollections({ collections, corpus }: SharedCollectionsParts): SharedCollections {
  const visibleCollection = async (by: Principal, id: string): Promise<Collection> => {
    const collection = isUuid(id) ? await collections.get(id) : undefined;
    if (collection !== undefined && mayView(by, collection)) return collection;
    throw noCollection(id);
  };
  const owned = async (by: Principal, id: string): Promise<Collection> => {
    const collection = await visibleCollection(by, id);
    if (by.isSuperuser || collection.ownerId === by.userId) return collection;
    throw new ServiceError('forbidden', `Only its owner manages the collection ${id}.`);
  };

  /** Those of these documents that pass the filter, by identifier. */
  const listed = async (ids: readonly string[], filter: Filter): Promise<ReadonlyMap<string, Document>> => {
    const among: Filter = { kind: 'in', field: 'document_id', values: ids.filter(isUuid) };
    const { items } = await corpus.list(allOf(filter, among), { offset: 0, limit: ids.length });
    return new Map(items.map((document) => [document.id, document]));
  };

  return {
    async create(by, { id = newId(), name, description = null }) {
      if (!by.isSuperuser && isMadeFromName(id)) {
        throw new ServiceError('forbidden', `The identifier ${id} is reserved. Omit it to have one generated.`);
      }
      if ((await collections.get(id)) !== undefined) {
        throw new ServiceError('conflict', `There is a collection ${id} already.`);
      }
      return collections.ensure({ id, ownerId: by.userId, name, description });
    },

    list: ({ userId, isSuperuser }, { ownerOnly, ...query }) =>
      collections.list({
        ...query,
        ...(ownerOnly && { ownerId: userId }),
        ...(!(isSuperuser || ownerOnly) && { memberId: userId }),
      }),

    get: visibleCollection,

    async findByName(by, name, ownerId = by.userId) {
      const collection = await collections.findByName(ownerId, name);
      if (collection !== undefined && mayView(by, collection)) return collection;
      throw new ServiceError('not_found', `There is no collection named "${name}".`);
    },

    require: owned,

    async update(by, id, change) {
      const collection = await owned(by, id);
      const updated = await collections.update(collection.id, change);
      if (updated === undefined) throw noCollection(id);
      return updated;
    },

    async remove(by, id) {
      const collection = await owned(by, id);
      if (collection.id === defaultCollectionId(collection.ownerId)) {
        throw new ServiceError('invalid_request', 'The default collection of a user can not be deleted.');
      }
      const removed = await collections.remove(collection.id);
      if (removed === undefined) throw noCollection(id);
      return removed;
    },

    async documents(by, id, page) {
      const collection = await visibleCollection(by, id);
      // Only members get here, and they see all documents of the collection.
      return corpus.list(allOf(visibleFilter(by), isIn(collection.id)), page);
    },

    async addDocuments(by, id, documentIds) {
      const collection = await owned(by, id);
      const ids = distinct(documentIds);
      const visible = await listed(ids, visibleFilter(by));
      const added = new Set(await collections.addDocuments(collection.id, [...visible.keys()]));
      return ids
        .filter((documentId) => !added.has(documentId))
        .map((documentId) =>
          visible.has(documentId)
            ? unchanged(documentId, 'conflict', `Document ${documentId} is already in the collection ${collection.id}.`)
            : unchanged(documentId, 'not_found', `There is no document ${documentId}.`),
        );
    },

    async removeDocuments(by, id, documentIds) {
      const collectionId = id.toLowerCase();
      const ids = distinct(documentIds);
      const included = isUuid(id) ? await listed(ids, isIn(collectionId)) : new Map<string, Document>();
      // The owner of a document can revoke its sharing, whoever shared it.
      const isOwn = (documentId: string) => {
        const document = included.get(documentId);
        return document !== undefined && mayChange(document, by);
      };
      const refusal = ids.every(isOwn) ? undefined : await refusalOf(owned(by, id));
      const removable = refusal === undefined ? [...included.keys()] : ids.filter(isOwn);
      const removed = new Set(await collections.removeDocuments(collectionId, removable));
      return ids
        .filter((documentId) => !removed.has(documentId))
        .map((documentId) =>
          refusal !== undefined && !isOwn(documentId)
            ? unchanged(documentId, refusal.code, refusal.message)
            : unchanged(
                documentId,
                'not_found',
                `There is no document ${documentId} in the collection ${collectionId}.`,
              ),
        );
    },

    async members(by, id, page) {
      return collections.members((await visibleCollection(by, id)).id, page);
    },
  };
}

/** The principal's memberships are read at authentication; owners also see collections they created since. */
const mayView = (by: Principal, { id, ownerId }: Collection): boolean =>
  by.isSuperuser || ownerId === by.userId || by.collectionIds.includes(id);

const isIn = (id: string): Filter => ({ kind: 'overlap', field: 'collection_ids', values: [id] });

const noCollection = (id: string) => new ServiceError('not_found', `There is no collection ${id}.`);

const distinct = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.toLowerCase()))];

const unchanged = (documentId: string, code: UnchangedDocument['code'], message: string): UnchangedDocument => ({
  documentId,
  code,
  message,
});

/** Why the caller may not manage a collection; undefined if they may. */
async function refusalOf(
  collection: Promise<Collection>,
): Promise<Pick<UnchangedDocument, 'code' | 'message'> | undefined> {
  try {
    await collection;
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message } = error;
    if (code !== 'not_found' && code !== 'forbidden') throw error;
    return { code, message };
  }
}
