import type { SharedStep } from './shared-steps.ts';

/** What helps after a failed ingestion (FailureRemedy); null for failures of earlier versions. */
export const failureRemedies: SharedStep = {
  worksFrom: 25,
  async up({ schema }, types) {
    await schema.alterTable('documents').addColumn('failure_remedy', types.text).execute();
  },
};
