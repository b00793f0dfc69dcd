import { shownOf } from './draft.ts';
import type { FoundDocument, FoundRecords } from './inspect.ts';
import type { Entry, Ledger } from './ledger.ts';

/**
 * Finds out what became of the requests whose answer never came. Either outcome is right; from here on the one that
 * is found must stay. What is neither is left as it was, for the checks to complain about.
 */
export function settle(ledger: Ledger, records: FoundRecords): void {
  for (const entry of ledger.entries.values()) {
    if (entry.options === null) continue;
    if (wasFulfilled(entry, records.documents.get(entry.id))) ledger.fulfil(entry);
    else ledger.withdraw(entry);
  }
}

function wasFulfilled({ options }: Entry, found: FoundDocument | undefined): boolean {
  switch (options?.kind) {
    case 'put':
    case 'restore':
      return found !== undefined && shownOf(options.draft, [found.bytes]) === 'all';
    case 'delete':
      return found === undefined;
    case 'tag':
      return found?.metadata['tag'] === options.tag;
    case undefined:
      return false;
  }
}
