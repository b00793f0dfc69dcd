import type { Draft } from './draft.ts';

/** What has been asked for a document and not been answered yet. */
export type Options =
  | { readonly kind: 'put'; readonly draft: Draft }
  /** `draft` is what the document was in that version. */
  | { readonly kind: 'restore'; readonly draft: Draft; readonly version: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'tag'; readonly tag: number };

/** What the service has acknowledged of one document. */
export interface Entry {
  readonly id: string;
  /** Null when it is not there: never was, or its deletion was acknowledged. */
  draft: Draft | null;
  tag: number | null;
  /** At most one at a time; left standing when the service died with it. */
  options: Options | null;
  /** Grows with every wish, so that an observer knows whether something happened meanwhile. */
  changes: number;
  /** Versions that must be nowhere any more. */
  readonly gone: Draft[];
  /** What it has been before, since it is there; the first was `v0`. */
  readonly versions: Draft[];
}

/** What must be there, as far as a client of the service can know. */
export interface Ledger {
  readonly entries: ReadonlyMap<string, Entry>;
  add(id: string): Entry;
  /** Notes that a wish is on its way. */
  begin(entry: Entry, options: Options): void;
  /** The wish was fulfilled, or found to have been after a restart. */
  fulfil(entry: Entry): void;
  /** The wish was found to have had no effect. */
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

/** What the document is to become; null when it is to go, or to stay as it is. */
export const requestedDraft = (options: Options | null): Draft | null =>
  options?.kind === 'put' || options?.kind === 'restore' ? options.draft : null;
