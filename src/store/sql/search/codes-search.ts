import type { Database } from '../database.ts';
import { loadedCodes } from '../vector-codes/loaded-codes.ts';
import type { SpaceRow } from '../vector-spaces/space-rows.ts';
import type { NearestPlan, NearestQuery } from './nearest-chunks.ts';
import type { NearestList } from './packed-hits.ts';

/** Approximate time to select candidates by their codes: a fixed part, and a part for each vector of common length. */
const CODES_MS = 10;
const CODE_MS = 0.0001;

/** Selects candidates by the codes of the stored vectors, and compares their vectors. */
export interface CodesSearch {
  /** Loads the codes into memory. */
  load(space: SpaceRow): Promise<void>;
  /** Undefined if the database lacks codes. */
  nearest(plan: NearestPlan, query: CodesQuery): Promise<NearestList | undefined>;
  /** How long a search of the plan takes. */
  expectedMs(plan: NearestPlan): number;
}

export interface CodesQuery extends NearestQuery {
  readonly candidates: number;
  readonly signal: AbortSignal | undefined;
}

export function createCodesSearch({ call }: Pick<Database['search'], 'call'>): CodesSearch {
  const codes = loadedCodes(call);
  /** Moving average. */
  let measuredMs = 0;

  return {
    load: async (space) => void (await codes.current(space)),

    async nearest({ visible, past }, { signal, ...query }) {
      const segments = await codes.current(query.space);
      signal?.throwIfAborted();
      const count = segments?.reduce((sum, segment) => sum + segment.count, 0) ?? 0;
      if (segments === undefined || count < visible) return undefined;
      const start = performance.now();
      const found = await call('nearestByCodes', { ...query, segments, others: past }, signal);
      const took = performance.now() - start;
      measuredMs = measuredMs === 0 ? took : (measuredMs + took) / 2;
      return found;
    },

    expectedMs: ({ visible }) => Math.max(CODES_MS + visible * CODE_MS, measuredMs),
  };
}
