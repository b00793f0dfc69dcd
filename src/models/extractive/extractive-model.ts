import { ServiceError } from '../../errors.ts';
import { EXTRACTIVE_MODEL } from '../default-models.ts';
import type { Model } from '../model.ts';

/** Whether answers of that model are quotations put together without a language model. */
export const isExtractive = (name: string): boolean => name === EXTRACTIVE_MODEL;

/**
 * Stands where a language model would when none is configured. It answers questions over documents (the answerer quotes
 * the passages found itself) and refuses everything else, saying what to set.
 */
export const createExtractiveModel = (): Model => ({
  name: EXTRACTIVE_MODEL,
  // biome-ignore lint/correctness/useYield: it refuses before the first event.
  async *stream() {
    throw new ServiceError(
      'not_configured',
      `This needs a language model, and none is configured: ${EXTRACTIVE_MODEL} only quotes documents. Set ` +
        'OPENAI_API_KEY or ANTHROPIC_API_KEY, or OLLAMA_BASE_URL with CITEWELL_MODEL=ollama/<name>.',
    );
  },
});
