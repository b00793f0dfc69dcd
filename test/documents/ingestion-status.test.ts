import { expect, it } from 'vitest';
import { ingestionStatuses, isIngested, isIngestionOver } from '../../src/documents/document.ts';

it('an ingestion is over once the document can be searched or has failed', () => {
  expect(ingestionStatuses.filter(isIngested)).toEqual(['success', 'enriching']);
  expect(ingestionStatuses.filter(isIngestionOver)).toEqual(['success', 'enriching', 'failed']);
});
