import { Condition } from '../../shared/condition.ts';
import type { Listed } from '../../sources/connector.ts';

interface ListAheadOptions {
  readonly signal: AbortSignal;
  /** Called for each entry as soon as it is listed. */
  readonly onListed?: ((each: Listed) => void) | undefined;
  /** Entries after which the listing waits for the consumer. */
  readonly maxEntries?: number;
  /** Characters of entries after which the listing waits for the consumer. */
  readonly maxCharacters?: number;
}

const MAX_ENTRIES = 10_000;
const MAX_CHARACTERS = 10_000_000;

/**
 * Lists a source ahead of the ingestion of its items. The number of items is then known early, and a listing by pages
 * does not last as long as the ingestion, during which its tokens expire and items move to other pages.
 */
export async function* listAhead(
  list: (signal: AbortSignal) => AsyncIterable<Listed>,
  { signal, onListed, maxEntries = MAX_ENTRIES, maxCharacters = MAX_CHARACTERS }: ListAheadOptions,
): AsyncGenerator<Listed, void> {
  const stop = new AbortController();
  const limited = AbortSignal.any([signal, stop.signal]);
  const changed = new Condition();
  let waiting: Listed[] = [];
  let characters = 0;
  let end: { readonly error?: unknown } | undefined;

  async function fill(): Promise<void> {
    for await (const each of list(limited)) {
      onListed?.(each);
      waiting.push(each);
      characters += charactersOf(each);
      changed.notify();
      while (!limited.aborted && (waiting.length >= maxEntries || characters >= maxCharacters)) await changed.next;
      if (limited.aborted) return;
    }
  }

  const filling = fill().then(
    () => {
      end = {};
      changed.notify();
    },
    (error: unknown) => {
      end = { error };
      changed.notify();
    },
  );
  const wake = () => changed.notify();
  signal.addEventListener('abort', wake, { once: true });
  try {
    for (;;) {
      const entries = waiting;
      waiting = [];
      characters = 0;
      changed.notify();
      yield* entries;
      if (waiting.length > 0) continue;
      if (end !== undefined) break;
      await changed.next;
    }
    signal.throwIfAborted();
    if ('error' in end) throw end.error;
  } finally {
    signal.removeEventListener('abort', wake);
    stop.abort();
    changed.notify();
    await filling;
  }
}

const charactersOf = (each: Listed): number =>
  each.kind === 'end'
    ? 0
    : each.key.length + (each.kind === 'item' ? each.uri.length + each.version.length + (each.title?.length ?? 0) : 0);
