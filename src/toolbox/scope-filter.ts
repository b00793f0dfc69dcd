import { allOf, everything, type Filter } from '../documents/filter.ts';
import { isUuid } from '../documents/ids.ts';
import { readFilter } from '../documents/read-filter.ts';
import { ServiceError } from '../errors.ts';
import { findDocument } from './find-document.ts';
import type { ToolContext } from './tool-context.ts';

export interface Scope {
  readonly filters?: Readonly<Record<string, unknown>> | undefined;
  readonly document_ids?: readonly string[] | undefined;
  readonly collections?: readonly string[] | undefined;
}

/** Filter for the scope of a search. `idField` is the name of the document id field in the searched records. */
export async function scopeFilter(
  { filters = {}, document_ids: documents = [], collections = [] }: Scope,
  idField: 'id' | 'document_id',
  context: Pick<ToolContext, 'library' | 'visible' | 'collectionNamed'>,
): Promise<Filter> {
  const inDocuments: Filter =
    documents.length === 0
      ? everything
      : {
          kind: 'in',
          field: idField,
          values: (await Promise.all(documents.map((given) => findDocument(given, context)))).map(({ id }) => id),
        };
  const inCollections: Filter =
    collections.length === 0
      ? everything
      : {
          kind: 'overlap',
          field: 'collection_ids',
          values: await Promise.all(collections.map((given) => collectionId(given, context))),
        };
  return allOf(readFilter(filters), inDocuments, inCollections);
}

async function collectionId(given: string, { collectionNamed }: Pick<ToolContext, 'collectionNamed'>): Promise<string> {
  if (isUuid(given)) return given.toLowerCase();
  if (collectionNamed !== undefined) return collectionNamed(given);
  throw new ServiceError('invalid_request', `Give the identifier of the collection "${given}", a UUID.`);
}
