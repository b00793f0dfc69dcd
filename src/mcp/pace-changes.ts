import type { Backend } from './backend.ts';

/** What has changed since the last report. */
export interface Changes {
  readonly isListChanged: boolean;
  /** Those of changed documents; none if many have changed together. */
  readonly documentIds: readonly string[];
  /** Those of them that no longer exist. */
  readonly removedIds: ReadonlySet<string>;
}

const PAUSE_MS = 1_000;

/**
 * Reports a change at once, and those that follow together, once a second: while a folder of a thousand documents is
 * ingested, every client would otherwise list the resources a thousand times. Returns a function that unsubscribes.
 */
export function paceChanges(backend: Pick<Backend, 'onChange'>, report: (changes: Changes) => void): () => void {
  let isListChanged = false;
  let documentIds = new Set<string>();
  let removedIds = new Set<string>();
  let hasChanged = false;
  let pause: NodeJS.Timeout | undefined;

  const flush = () => {
    pause = undefined;
    if (!hasChanged) return;
    const changes = { isListChanged, documentIds: [...documentIds], removedIds };
    isListChanged = false;
    documentIds = new Set();
    removedIds = new Set();
    hasChanged = false;
    pause = setTimeout(flush, PAUSE_MS).unref();
    report(changes);
  };
  const unsubscribe = backend.onChange((change) => {
    hasChanged = true;
    isListChanged ||= change.isListChanged;
    const { documentId } = change;
    if (documentId !== undefined) {
      documentIds.add(documentId);
      if (change.isRemoved === true) removedIds.add(documentId);
      else removedIds.delete(documentId);
    }
    if (pause === undefined) flush();
  });
  return () => {
    clearTimeout(pause);
    unsubscribe();
  };
}
