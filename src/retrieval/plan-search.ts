import { type EmbeddingModel, isSemantic } from '../embeddings/embedding-model.ts';
import { ServiceError } from '../errors.ts';
import { MIN_CANDIDATES, scoreShares } from './fuse-scores.ts';
import type { HybridSettings, SearchKind, SearchSettings } from './search-settings.ts';

/** Search settings with all defaults filled in. */
export interface SearchPlan {
  readonly kind: SearchKind;
  readonly hybrid: HybridSettings;
  /** How a hybrid search fuses its legs. */
  readonly fusion: 'ranks' | 'scores';
  /** Why the search is of another kind than requested. */
  readonly note?: string;
}

/** The contract's defaults, docs/contract.md 4.1. */
const semanticDefaults: HybridSettings = { fullTextWeight: 1, semanticWeight: 5, fullTextLimit: 200, rrfK: 50 };
/** With a lexical embedder, full text has more weight; measured in docs/decisions.md. */
const lexicalDefaults: HybridSettings = { ...semanticDefaults, fullTextWeight: 15, semanticWeight: 1 };
/** Related words add results, but full text has more weight. */
const learnedDefaults: HybridSettings = { ...semanticDefaults, fullTextWeight: 4, semanticWeight: 1 };

/** Validates the settings and fills in defaults that suit the embedder. Throws `invalid_request`. */
export function planSearch(
  settings: SearchSettings,
  embedder: Pick<EmbeddingModel, 'name' | 'isLexical' | 'isLearned' | 'isSmall' | 'isProvisional' | 'fullTextShare'>,
): SearchPlan {
  const { limit, offset, measure } = settings;
  const { isLexical, isLearned = false, isSmall = false } = embedder;
  requireValid(Number.isInteger(limit) && limit >= 1, `"limit" must be a whole number from 1, not ${limit}.`);
  requireValid(Number.isInteger(offset) && offset >= 0, `"offset" must be a whole number from 0, not ${offset}.`);
  checkShaping(settings);
  const needsWords = settings.kind === 'semantic' && (!isSemantic(embedder) || embedder.isProvisional === true);
  const kind = needsWords ? 'hybrid' : (settings.kind ?? (isLexical || isSmall ? 'hybrid' : 'semantic'));
  const defaults = isLearned ? learnedDefaults : isLexical ? lexicalDefaults : semanticDefaults;
  // A limit above the default implies more candidates.
  const fullTextLimit = Math.max(defaults.fullTextLimit, limit);
  const hybrid = { ...defaults, fullTextLimit, ...settings.hybrid };
  if (kind === 'hybrid') checkHybrid(hybrid, limit);
  const { fullTextWeight, semanticWeight, rrfK } = settings.hybrid;
  const isWeighted = fullTextWeight !== undefined || semanticWeight !== undefined || rrfK !== undefined;
  const note = needsWords
    ? { note: embedder.isProvisional ? untilLearned(embedder.name) : fullTextOnly(embedder.name) }
    : {};
  if (kind !== 'hybrid' || !(isLearned || isSmall) || isWeighted || measure !== 'cosine_distance') {
    return { kind, hybrid, fusion: 'ranks', ...note };
  }
  const candidates = Math.max(MIN_CANDIDATES, fullTextLimit);
  return {
    kind,
    hybrid: { ...hybrid, ...scoreShares(embedder.fullTextShare), fullTextLimit: candidates },
    fusion: 'scores',
    ...note,
  };
}

const fullTextOnly = (name: string): string =>
  `The embedder ${name} knows words and not what they mean, so the semantic search was fused with full text. ` +
  'Set OPENAI_API_KEY or CITEWELL_EMBEDDING_MODEL to search by meaning.';

const untilLearned = (name: string): string =>
  `Semantic search was fused with full text: ${name} alone finds less, and no embeddings have been learned from the passages yet.`;

function checkShaping({ shaping, rerank }: SearchSettings): void {
  const { diversity = 0, maxPerDocument = null } = shaping ?? {};
  requireValid(diversity >= 0 && diversity <= 1, `"diversity" must be a number from 0 to 1, not ${diversity}.`);
  requireValid(
    maxPerDocument === null || (Number.isInteger(maxPerDocument) && maxPerDocument >= 1),
    `"max_per_document" must be a whole number from 1, not ${maxPerDocument}.`,
  );
  const depth = rerank?.depth ?? 1;
  requireValid(Number.isInteger(depth) && depth >= 1, `"rerank_depth" must be a whole number from 1, not ${depth}.`);
}

function checkHybrid({ fullTextWeight, semanticWeight, fullTextLimit, rrfK }: HybridSettings, limit: number): void {
  requireValid(
    Number.isInteger(fullTextLimit) && fullTextLimit >= limit,
    `"full_text_limit" (${fullTextLimit}) must not be below "limit" (${limit}) in hybrid search. Raise it, or lower the limit.`,
  );
  requireValid(
    fullTextWeight >= 0 && semanticWeight >= 0 && Number.isFinite(fullTextWeight + semanticWeight),
    '"full_text_weight" and "semantic_weight" must be numbers from 0.',
  );
  requireValid(
    fullTextWeight + semanticWeight > 0,
    '"full_text_weight" and "semantic_weight" are both 0; at least one must be above.',
  );
  requireValid(Number.isFinite(rrfK) && rrfK >= 0, `"rrf_k" must be a number from 0, not ${rrfK}.`);
}

function requireValid(holds: boolean, message: string): void {
  if (!holds) throw new ServiceError('invalid_request', message);
}
