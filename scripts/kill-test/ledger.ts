import type { Draft } from './draft.ts';

/** A request on a document that is not answered yet. */
export type Options =
  | { readonly kind: 'put'; readonly draft: Draft }
  /** `draft` is the document in that version. */
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
  options: Options | null;
  /** Incremented with every request, so that an observer can detect concurrent changes. */
  changes: number;
  /** Versions that must not be found any more. */
  readonly gone: Draft[];
  /** Its earlier versions since it was created; the first was `v0`. */
  readonly versions: Draft[];
}

/** The expected state, as far as a client can know it. */
export interface Ledger {
  readonly entries: ReadonlyMap<string, Entry>;
  add(id: string): Entry;
  /** Records that a request was sent. */
  begin(entry: Entry, options: Options): void;
  /** The request succeeded, or was found to have succeeded after a restart. */
  fulfil(entry: Entry): void;
  /** The request was found to have had no effect. */
  withdraw(entry: Entry): void;
}

export function createLedger(): Ledger {
  const entries = new Map<string, Entry>();
  return {
    entries,
    add(id) {
      const entry: Entry = { id, draft: null, tag: null, options: null, changes: 0, gone: [], versions: [] };
      entries.set(id, entry);
      return entry;
    },
    begin(entry, options) {
      entry.options = options;
      entry.changes++;
    },
    fulfil(entry) {
      const { options, draft } = entry;
      if (options?.kind === 'tag') entry.tag = options.tag;
      else {
        if (draft !== null) {
          entry.gone.push(draft);
          entry.versions.push(draft);
        }
        entry.draft = requestedDraft(options);
        if (entry.draft === null) entry.versions.length = 0;
        entry.tag = null;
      }
      entry.options = null;
      entry.changes++;
    },
    withdraw(entry) {
      if (entry.options?.kind === 'put') entry.gone.push(entry.options.draft);
      entry.options = null;
      entry.changes++;
    },
  };
}

/** The document's content after the pending request; null if it is deleted or unchanged. */
export const requestedDraft = (options: Options | null): Draft | null =>
  options?.kind === 'put' || options?.kind === 'restore' ? options.draft : null;
