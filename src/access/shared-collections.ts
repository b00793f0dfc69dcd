import type { Document } from '../documents/document.ts';
import { allOf, type Filter } from '../documents/filter.ts';
import { defaultCollectionId, isMadeFromName, isUuid, newId } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { Corpus, Page, Paged } from '../store/corpus.ts';
import type { Collection, CollectionMember, CollectionRecords } from '../store/records.ts';
import type { Principal } from './principal.ts';
import { isVisible, mayChange, visibleFilter } from './visible-filter.ts';

export interface SharedCollectionsParts {
  readonly collections: CollectionRecords;
  readonly corpus: Pick<Corpus, 'get' | 'list'>;
}

export interface CollectionQuery extends Page {
  /** Empty selects all. */
  readonly ids: readonly string[];
  /** Excludes collections the caller is only a member of. */
  readonly ownerOnly: boolean;
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
  documents(by: Principal, id: string, page: Page): Promise<Paged<Document>>;
  /** Throws `not_found` for a document the caller may not see, `conflict` if it is already in the collection. */
  addDocument(by: Principal, id: string, documentId: string): Promise<void>;
  /** Requires the owner of the collection or of the document. */
  removeDocument(by: Principal, id: string, documentId: string): Promise<void>;
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

    async addDocument(by, id, documentId) {
      const collection = await owned(by, id);
      const document = isUuid(documentId) ? await corpus.get(documentId) : undefined;
      if (document === undefined || !isVisible(document, by)) throw noDocument(documentId);
      if (await collections.addDocument(collection.id, document.id)) return;
      throw new ServiceError('conflict', `Document ${document.id} is already in the collection ${collection.id}.`);
    },

    async removeDocument(by, id, documentId) {
      const document = isUuid(documentId) ? await corpus.get(documentId) : undefined;
      // The owner of a document can revoke its sharing, whoever shared it.
      const isOwn = document?.collectionIds.includes(id) && mayChange(document, by);
      const collectionId = isOwn ? id : (await owned(by, id)).id;
      if (isUuid(documentId) && (await collections.removeDocument(collectionId, documentId))) return;
      throw new ServiceError('not_found', `There is no document ${documentId} in the collection ${collectionId}.`);
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

const noDocument = (id: string) => new ServiceError('not_found', `There is no document ${id}.`);
