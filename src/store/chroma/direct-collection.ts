import type { VectorHit, VectorRecord } from '../vector-index.ts';
import { requestWithTimeout, type TimeLimit } from './call-with-timeout.ts';
import type { ChromaConnection } from './chroma-connection.ts';
import { cancelled, toServiceError } from './chroma-failure.ts';

/** Reads and writes of one collection that bypass Chroma's client, for speed. */
export interface DirectCollection {
  /** Undefined if the caller must query through the client, which also diagnoses and repairs failures. */
  nearest(vector: Float32Array, limit: number, time: TimeLimit): Promise<VectorHit[] | undefined>;
  /** Writes the vectors only. False if the caller must write through the client. */
  upsert(records: readonly VectorRecord[]): Promise<boolean>;
}

/** `idOf` returns the collection's current identifier in Chroma; undefined if it is not open. */
export function directCollection(connection: ChromaConnection, idOf: () => string | undefined): DirectCollection {
  const { direct, where } = connection;
  return {
    async nearest(vector, limit, time) {
      const collection = idOf();
      if (direct === undefined || collection === undefined) return undefined;
      const question = { collection, vector, limit };
      try {
        return await requestWithTimeout(connection, (endings) => direct.query(question, endings), time);
      } catch (error) {
        throw time.signal?.aborted ? cancelled(error) : toServiceError(error, where);
      }
    },

    async upsert(records) {
      const collection = idOf();
      if (direct === undefined || collection === undefined || connection.storesScopes) return false;
      try {
        return await requestWithTimeout(connection, (endings) => direct.upsert({ collection, records }, endings));
      } catch (error) {
        throw toServiceError(error, where);
      }
    },
  };
}
