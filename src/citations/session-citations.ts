import { LruMap } from '../shared/lru-map.ts';
import type { Source } from './citation.ts';
import { sourceKey } from './source-list.ts';

/** Document of a source, and its chunk if the source is one. */
export interface CitedPlace {
  readonly documentId: string;
  readonly chunkId?: string;
}

/** Source numbers of one session; a source keeps its number between calls. */
export interface SessionCitations {
  /** Number of a source; assigned at its first use. */
  cite(source: Source): number;
  /** Document and chunk behind a number; undefined for unknown numbers and sources outside the corpus. */
  cited(number: number): CitedPlace | undefined;
}

const MAX_SESSIONS = 500;
const MAX_SOURCES = 5_000;
/** Milliseconds without use after which a session's numbers are dropped. */
const SESSION_TTL_MS = 6 * 60 * 60_000;

interface Session extends SessionCitations {
  usedAt: number;
}

/**
 * Sessions by name. Numbers are never reused within a session. Sessions and sources are limited in number; the least
 * recently used are dropped first.
 */
export function createSessionCitations(now: () => number = Date.now): (session: string) => SessionCitations {
  const sessions = new LruMap<string, Session>({ max: MAX_SESSIONS });
  return (name) => {
    const known = sessions.get(name);
    const isFresh = known !== undefined && now() - known.usedAt < SESSION_TTL_MS;
    const session = isFresh ? known : { ...openSession(), usedAt: 0 };
    session.usedAt = now();
    sessions.set(name, session);
    return session;
  };
}

function openSession(): SessionCitations {
  const places = new Map<number, CitedPlace>();
  const numbers = new LruMap<string, number>({ max: MAX_SOURCES, onEvict: (_, number) => places.delete(number) });
  let last = 0;
  return {
    cite(source) {
      const key = sourceKey(source);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      last++;
      numbers.set(key, last);
      const place = citedPlace(source);
      if (place !== undefined) places.set(last, place);
      return last;
    },
    cited: (number) => places.get(number),
  };
}

/** Undefined for sources outside the corpus. */
export function citedPlace(source: Source): CitedPlace | undefined {
  switch (source.kind) {
    case 'chunk':
      return { documentId: source.chunk.documentId, chunkId: source.chunk.id };
    case 'document':
      return { documentId: source.document.id };
    case 'graph': {
      const { sentence } = source.hit;
      return sentence && { documentId: sentence.documentId, chunkId: sentence.chunkId };
    }
    case 'web':
      return undefined;
  }
}
