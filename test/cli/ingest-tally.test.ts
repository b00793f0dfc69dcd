import { describe, expect, it } from 'vitest';
import { emptyTally, record, summaryText } from '../../src/cli/ingest-tally.ts';

describe('the summary of an ingestion', () => {
  it('says that there was nothing to ingest, as below an empty folder', () => {
    expect(summaryText(emptyTally(), 1)).toBe('There is nothing to ingest.');
  });

  it('counts what was skipped, also when nothing was ingested', () => {
    const tally = emptyTally();
    record({ type: 'skipped', name: 'notes/.hidden', reason: 'hidden' }, tally);
    record({ type: 'skipped', name: 'notes/other', reason: 'linked' }, tally);
    expect(summaryText(tally, 1)).toBe('0 ingested in 1 s; skipped: 1 hidden, 1 behind a link to a folder.');
  });
});
