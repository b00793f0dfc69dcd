import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { ServiceError } from '../errors.ts';
import type { HybridSettings, SearchKind, SearchSettings } from './search-settings.ts';

/** Settings with everything chosen that the caller left open. */
export interface SearchPlan {
  readonly kind: SearchKind;
  readonly hybrid: HybridSettings;
}

/** The contract's defaults, r2r-v3.md 4.1. */
const forMeaning: HybridSettings = { fullTextWeight: 1, semanticWeight: 5, fullTextLimit: 200, rrfK: 50 };
/** Where nearness only means shared words and pieces of words, full text leads; measured in docs/decisions.md. */
const forWords: HybridSettings = { ...forMeaning, fullTextWeight: 15, semanticWeight: 1 };
/** Where nearness was learned from the corpus itself, it may say more and still not lead. */
const forLearned: HybridSettings = { ...forMeaning, fullTextWeight: 4, semanticWeight: 1 };

/** Checks the settings and fills them in to fit the embedder. Throws `invalid_request`. */
export function planSearch(
  settings: SearchSettings,
  { isLexical, isLearned = false }: Pick<EmbeddingModel, 'isLexical' | 'isLearned'>,
): SearchPlan {
  const { limit, offset } = settings;
  requireThat(Number.isInteger(limit) && limit >= 1, `"limit" must be a whole number from 1, not ${limit}.`);
  requireThat(Number.isInteger(offset) && offset >= 0, `"offset" must be a whole number from 0, not ${offset}.`);
  checkShaping(settings);
  const kind = settings.kind ?? (isLexical ? 'hybrid' : 'semantic');
  const defaults = isLearned ? forLearned : isLexical ? forWords : forMeaning;
  // A limit beyond the default asks for more candidates without having to say so.
  const fullTextLimit = Math.max(defaults.fullTextLimit, limit);
  const hybrid = { ...defaults, fullTextLimit, ...settings.hybrid };
  if (kind === 'hybrid') checkHybrid(hybrid, limit);
  return { kind, hybrid };
}

function checkShaping({ shaping, rerank }: SearchSettings): void {
  const { diversity = 0, maxPerDocument = null } = shaping ?? {};
  requireThat(diversity >= 0 && diversity <= 1, `"diversity" must be a number from 0 to 1, not ${diversity}.`);
  requireThat(
    maxPerDocument === null || (Number.isInteger(maxPerDocument) && maxPerDocument >= 1),
    `"max_per_document" must be a whole number from 1, not ${maxPerDocument}.`,
  );
  const depth = rerank?.depth ?? 1;
  requireThat(Number.isInteger(depth) && depth >= 1, `"rerank_depth" must be a whole number from 1, not ${depth}.`);
}

function checkHybrid({ fullTextWeight, semanticWeight, fullTextLimit, rrfK }: HybridSettings, limit: number): void {
  requireThat(
    Number.isInteger(fullTextLimit) && fullTextLimit >= limit,
    `"full_text_limit" (${fullTextLimit}) must not be below "limit" (${limit}) in hybrid search. Raise it, or lower the limit.`,
  );
  requireThat(
    fullTextWeight >= 0 && semanticWeight >= 0 && Number.isFinite(fullTextWeight + semanticWeight),
    '"full_text_weight" and "semantic_weight" must be numbers from 0.',
  );
  requireThat(
    fullTextWeight + semanticWeight > 0,
    '"full_text_weight" and "semantic_weight" are both 0; at least one must be above.',
  );
  requireThat(Number.isFinite(rrfK) && rrfK >= 0, `"rrf_k" must be a number from 0, not ${rrfK}.`);
}

function requireThat(holds: boolean, message: string): void {
  if (!holds) throw new ServiceError('invalid_request', message);
}
