import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Tables } from '../schema.ts';

/** Index for counting failed extractions and resuming interrupted ones without reading every document. */
export const extractionStatus: Migration = {
  async up({ schema }: Kysely<Tables>) {
    await schema.createIndex('documents_by_extraction').on('documents').columns(['extraction_status']).execute();
  },
};
