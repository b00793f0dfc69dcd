import type { Draft } from './draft.ts';

/** An unanswered request that changes a document. */
export type PendingRequest =
  | { readonly kind: 'put'; readonly draft: Draft }
  /** `draft` is the content of the version to restore. */
  | { readonly kind: 'restore'; readonly draft: Draft; readonly version: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'tag'; readonly tag: number };

/** What the service has acknowledged for one document. */
export interface Entry {
  readonly id: string;
  /** Null if it does not exist: never created, or its deletion was acknowledged. */
  draft: Draft | null;
  tag: number | null;
  /** At most one at a time; remains set if the service died during it. */
  pending: PendingRequest | null;
  /** Incremented with every request, so that an observer can detect concurrent changes. */
  changes: number;
  /** Replaced or deleted versions, which must no longer be found. */
  readonly gone: Draft[];
  /** Earlier versions since the document was created, starting with `v0`. */
  readonly versions: Draft[];
}

/** The expected state, as far as a client can know it. */
export interface ExpectedState {
  readonly entries: ReadonlyMap<string, Entry>;
  add(id: string): Entry;
  /** Records that a request was sent. */
  begin(entry: Entry, pending: PendingRequest): void;
  /** The request succeeded, or was found to have succeeded after a restart. */
  fulfil(entry: Entry): void;
  /** The request was found to have had no effect. */
  withdraw(entry: Entry): void;
}

export function createExpectedState(): ExpectedState {
  const entries = new Map<string, Entry>();
  return {
    entries,
    add(id) {
      const entry: Entry = { id, draft: null, tag: null, pending: null, changes: 0, gone: [], versions: [] };
      entries.set(id, entry);
      return entry;
    },
    begin(entry, pending) {
      entry.pending = pending;
      entry.changes++;
    },
    fulfil(entry) {
      const { pending, draft } = entry;
      if (pending?.kind === 'tag') entry.tag = pending.tag;
      else {
        if (draft !== null) {
          entry.gone.push(draft);
          entry.versions.push(draft);
        }
        entry.draft = requestedDraft(pending);
        if (entry.draft === null) entry.versions.length = 0;
        entry.tag = null;
      }
      entry.pending = null;
      entry.changes++;
    },
    withdraw(entry) {
      if (entry.pending?.kind === 'put') entry.gone.push(entry.pending.draft);
      entry.pending = null;
      entry.changes++;
    },
  };
}

/** The document's content after the pending request; null if it is deleted or unchanged. */
export const requestedDraft = (pending: PendingRequest | null): Draft | null =>
  pending?.kind === 'put' || pending?.kind === 'restore' ? pending.draft : null;
