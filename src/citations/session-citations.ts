import { LruMap } from '../shared/lru-map.ts';
import type { Source } from './citation.ts';
import { sourceKey } from './source-list.ts';

/** The document of a source, and its chunk where it is one. */
export interface CitedPlace {
  readonly documentId: string;
  readonly chunkId?: string;
}

/** The numbers under which the results of one session cite sources. */
export interface SessionCitations {
  /** The source's number: its old one when the session has seen it. */
  cite(source: Source): number;
  /** Where the source of a number stands; undefined for a number not given, or given to no document. */
  cited(number: number): CitedPlace | undefined;
}

const MAX_SESSIONS = 500;
const MAX_SOURCES = 5_000;
/** Milliseconds after which nobody is taken to still mean a number. */
const FORGET_AFTER = 6 * 60 * 60_000;

interface Session extends SessionCitations {
  usedAt: number;
}

/** Sessions by name. A number never stands for two sources of a session; what is remembered of them is bounded. */
export function createSessionCitations(now: () => number = Date.now): (session: string) => SessionCitations {
  const sessions = new LruMap<string, Session>({ max: MAX_SESSIONS });
  return (name) => {
    const known = sessions.get(name);
    const isFresh = known !== undefined && now() - known.usedAt < FORGET_AFTER;
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

/** Undefined for what stands in no document. */
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
