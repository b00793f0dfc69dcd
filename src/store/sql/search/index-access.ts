import type { Filter } from '../../../documents/filter.ts';
import { ServiceError } from '../../../errors.ts';
import { type ScopeCondition, scopeConditionsOf } from '../../access-scope.ts';
import { IndexBusy, type VectorHit } from '../../vector-index.ts';
import type { OpenCollections } from '../index-sync/open-collections.ts';
import type { SpaceRow } from '../vector-spaces/space-rows.ts';
import type { IndexLimits } from './index-request.ts';
import type { NearestPlan } from './nearest-chunks.ts';

export interface IndexAccessParts {
  readonly collections: Pick<OpenCollections, 'open'>;
  /** Called when the index fails, so that later searches skip it. */
  readonly onFailure?: (error: ServiceError) => void;
}

export interface IndexQuestion {
  readonly vector: Float32Array;
  readonly limit: number;
  readonly within: readonly ScopeCondition[];
  readonly signal: AbortSignal | undefined;
}

/** What a search asks of the vector index. Its failures do not fail the search. */
export interface IndexAccess {
  isOpen(space: SpaceRow): Promise<boolean>;
  /** Whether the index holds all visible chunks but the pending ones. */
  isComplete(plan: NearestPlan): Promise<boolean>;
  /** No limits if the index cannot be opened, which the query will notice. */
  limitsOf(space: SpaceRow, filter: Filter): Promise<IndexLimits>;
  /** The hits, or in words why there are none. */
  nearest(space: SpaceRow, question: IndexQuestion): Promise<readonly VectorHit[] | string>;
}

export function createIndexAccess({ collections, onFailure }: IndexAccessParts): IndexAccess {
  return {
    isOpen: (space) =>
      collections.open(space).then(
        () => true,
        () => false,
      ),

    async isComplete({ space, visible, pending }) {
      if (space === null) return false;
      try {
        const collection = await collections.open(space);
        return (await collection.count()) + pending.length >= visible;
      } catch {
        // The maintenance of the index notices it as well.
        return false;
      }
    },

    async limitsOf(space, filter) {
      const collection = await collections.open(space).catch(() => undefined);
      const storesScopes = collection?.scopes?.areComplete() ?? false;
      return {
        allowed: collection?.maxResults ?? Number.POSITIVE_INFINITY,
        scopes: storesScopes ? scopeConditionsOf(filter) : [],
        candidates: collection?.candidates ?? 0,
      };
    },

    async nearest(space, { vector, limit, within, signal }) {
      try {
        const collection = await collections.open(space);
        return await collection.nearest(vector, limit, signal, within);
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof ServiceError && error.code === 'store_failed')) throw error;
        if (error instanceof IndexBusy) return 'takes no more calls for the moment';
        onFailure?.(error);
        return 'did not answer';
      }
    },
  };
}
