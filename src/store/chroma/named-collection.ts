import type { Collection } from 'chromadb';
import { ServiceError } from '../../errors.ts';
import { callChroma } from './call-chroma.ts';
import type { ChromaConnection } from './chroma-connection.ts';
import { isMissing } from './chroma-failure.ts';
import { HAS_SCOPES, makeCollection } from './make-collection.ts';

/**
 * Finds the collection by its name in Chroma, or creates it. Throws `store_failed` if it holds vectors of another length.
 */
export async function findOrMakeCollection(
  connection: ChromaConnection,
  { name, dimensions }: { readonly name: string; readonly dimensions: number },
): Promise<Collection> {
  const collection = await callChroma(connection, async (client) => {
    const found = await client.getCollection({ name }).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    return found ?? (await makeCollection(client, name, { dimensions, ...(connection.storesScopes && HAS_SCOPES) }));
  });
  const there = collection.metadata?.['dimensions'];
  if (there === dimensions) return collection;
  throw new ServiceError(
    'store_failed',
    `The collection ${name} of ${connection.where} holds vectors of ${String(there)} numbers, not ${dimensions}.`,
  );
}

/** Removes a collection by its name in Chroma; does nothing when there is none. */
export async function dropCollection(connection: ChromaConnection, name: string): Promise<void> {
  try {
    await callChroma(connection, (client) => client.deleteCollection({ name }));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
