import { shownOf } from './draft.ts';
import type { Entry, ExpectedState } from './expected-state.ts';
import type { FoundDocument, FoundRecords } from './inspect.ts';

/**
 * Determines the outcome of unanswered requests. Success and no effect are both correct, and must be stable from
 * then on. Any other state is left for the checks to report.
 */
export function resolvePending(expected: ExpectedState, records: FoundRecords): void {
  for (const entry of expected.entries.values()) {
    if (entry.pending === null) continue;
    if (wasFulfilled(entry, records.documents.get(entry.id))) expected.fulfil(entry);
    else expected.withdraw(entry);
  }
}

function wasFulfilled({ pending }: Entry, found: FoundDocument | undefined): boolean {
  switch (pending?.kind) {
    case 'put':
    case 'restore':
      return found !== undefined && shownOf(pending.draft, [found.bytes]) === 'all';
    case 'delete':
      return found === undefined;
    case 'tag':
      return found?.metadata['tag'] === pending.tag;
    case undefined:
      return false;
  }
}
