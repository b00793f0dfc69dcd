import { shownOf } from './draft.ts';
import type { FoundDocument, FoundRecords } from './inspect.ts';
import type { Entry, Ledger } from './ledger.ts';

/**
 * Determines the outcome of unanswered requests. Either outcome is correct and must be stable from then on. Anything
 * else is left unchanged for the checks to report.
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
