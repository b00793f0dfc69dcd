import { ServiceError } from '../../errors.ts';
import { EXTRACTIVE_MODEL } from '../default-models.ts';
import type { Model } from '../model.ts';
import { SUGGESTED_SETTINGS } from '../suggested-settings.ts';

/** Whether this model answers with quotations, without a language model. */
export const isExtractive = (name: string): boolean => name === EXTRACTIVE_MODEL;

/**
 * Used when no language model is configured. The answerer quotes sources without calling it; every actual call is
 * refused with a hint on what to configure.
 */
export const createExtractiveModel = (): Model => ({
  name: EXTRACTIVE_MODEL,
  // biome-ignore lint/correctness/useYield: it throws before the first event.
  async *stream() {
    throw new ServiceError(
      'not_configured',
      `This needs a language model, and none is configured: ${EXTRACTIVE_MODEL} only quotes documents. Set ${SUGGESTED_SETTINGS}.`,
    );
  },
});
