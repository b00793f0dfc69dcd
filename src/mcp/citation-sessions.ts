import {
  type CitedPlace,
  citedPlace,
  createSessionCitations,
  type SessionCitations,
} from '../citations/session-citations.ts';
import { sourceKey } from '../citations/source-list.ts';
import type { NumberedSource, SharedCitations } from '../store/shared-state.ts';

/** The source numbers of one call. */
export interface CallCitations extends SessionCitations {
  /** Stores the numbers assigned by this call for later calls. */
  keep(): Promise<void>;
}

export interface SessionName {
  readonly userId: string;
  /** Undefined for stateless requests. */
  readonly session: string | undefined;
}

/** Numbers reserved per call; a result cites fewer sources. */
const MAX_PER_CALL = 1_000;
const MAX_SOURCES = 5_000;
const RETENTION_MS = 6 * 60 * 60_000;
const TRIM_EVERY_MS = 10 * 60_000;

/**
 * Source numbers by session. Without a session (revision 2026-07-28 and later) they are kept per user, so that they are
 * stable between calls; with a shared store also across servers, because each call may reach a different one.
 */
export function createCitationSessions(
  shared: SharedCitations | undefined,
): (name: SessionName) => Promise<CallCitations> {
  const here = createSessionCitations();
  let trimmedAt = Number.NEGATIVE_INFINITY;
  return async ({ userId, session }) => {
    if (shared === undefined || session !== undefined) {
      return { ...here(`${userId} ${session ?? ''}`), keep: async () => {} };
    }
    if (performance.now() - trimmedAt > TRIM_EVERY_MS) {
      trimmedAt = performance.now();
      await shared.trim(RETENTION_MS);
    }
    return openShared(shared, userId);
  };
}

async function openShared(shared: SharedCitations, session: string): Promise<CallCitations> {
  const { numbered, first } = await shared.open(session, MAX_PER_CALL);
  const numbers = new Map(numbered.map(({ key, number }) => [key, number]));
  const places = new Map(numbered.map(({ number, json }) => [number, placeIn(json)]));
  const added: NumberedSource[] = [];
  return {
    cite(source) {
      const key = sourceKey(source);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      const number = first + added.length;
      const place = citedPlace(source);
      numbers.set(key, number);
      places.set(number, place);
      added.push({ number, key, json: place === undefined ? null : JSON.stringify(place) });
      return number;
    },
    cited: (number) => places.get(number),
    keep: () => shared.keep(session, { first, count: MAX_PER_CALL, numbered: added, maxSources: MAX_SOURCES }),
  };
}

const placeIn = (json: string | null): CitedPlace | undefined =>
  json === null ? undefined : (JSON.parse(json) as CitedPlace);
