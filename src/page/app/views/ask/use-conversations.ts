import { useEffect, useRef, useState } from 'preact/hooks';
import { callList } from '../../api/request.ts';
import { conversationChanges } from './conversation-changes.ts';

export interface Conversation {
  readonly id: string;
  readonly name: string | null;
  readonly created_at: string;
}

interface Found {
  readonly items: readonly Conversation[];
  /** Number of conversations read so far. */
  readonly read: number;
  readonly total: number;
  readonly state: 'reading' | 'more' | 'complete';
  readonly error?: unknown;
}

const PAGE = 50;
/** The service cannot search names, so a search reads the largest pages. */
const SEARCHED_PAGE = 1_000;
const DELAY = 250;

const nothing: Found = { items: [], read: 0, total: 0, state: 'reading' };

/** Conversations whose name contains the text, newest first; `more` loads the next page. */
export function useConversations(wanted: string) {
  const [found, setFound] = useState<Found>(nothing);
  const [round, setRound] = useState(0);
  const leaving = useRef(new AbortController());
  const text = wanted.trim().toLowerCase();
  const changes = conversationChanges.value;

  const readOn = async (before: Found, signal: AbortSignal): Promise<void> => {
    let now: Found = { items: before.items, read: before.read, total: before.total, state: 'reading' };
    const enough = now.items.length + PAGE;
    try {
      do {
        const limit = text === '' ? PAGE : SEARCHED_PAGE;
        const query = { offset: now.read, limit };
        const { items, total } = await callList<Conversation>('/v3/conversations', { query, signal });
        const matching = items.filter(({ name }) => text === '' || (name ?? '').toLowerCase().includes(text));
        const read = now.read + items.length;
        const isComplete = items.length === 0 || read >= total;
        const known = new Set(now.items.map(({ id }) => id));
        const added = matching.filter(({ id }) => !known.has(id));
        now = { items: [...now.items, ...added], read, total, state: isComplete ? 'complete' : 'reading' };
        setFound(now);
      } while (now.state === 'reading' && now.items.length < enough);
      if (now.state === 'reading') setFound({ ...now, state: 'more' });
    } catch (error) {
      // Shown entries stay; a retry starts over.
      if (!signal.aborted) setFound((shown) => ({ ...shown, state: 'complete', error }));
    }
  };

  useEffect(() => {
    leaving.current.abort();
    leaving.current = new AbortController();
    const { signal } = leaving.current;
    // Shown entries stay until the first page is loaded.
    const timer = setTimeout(() => void readOn(nothing, signal), text === '' ? 0 : DELAY);
    return () => {
      clearTimeout(timer);
      leaving.current.abort();
    };
  }, [text, round, changes]);

  return {
    ...found,
    more: () => {
      if (found.state === 'more') void readOn(found, leaving.current.signal);
    },
    reload: () => setRound((before) => before + 1),
    rename: (id: string, name: string) =>
      setFound((now) => ({ ...now, items: now.items.map((each) => (each.id === id ? { ...each, name } : each)) })),
    remove: (id: string) =>
      setFound((now) => ({
        ...now,
        items: now.items.filter((each) => each.id !== id),
        read: Math.max(0, now.read - 1),
        total: Math.max(0, now.total - 1),
      })),
  };
}
