import type { Document } from '../documents/document.ts';
import { type EmbeddingModel, isSemantic } from '../embeddings/embedding-model.ts';
import type { Corpus, CorpusView, DocumentQuery, FoundDocument, Paged } from '../store/corpus.ts';
import type { DescriptionSearch, FoundDescriptions } from '../store/description-records.ts';
import { cutQuery } from '../store/full-text/analyse.ts';
import { createQueryEmbedder, type EmbedQuery, withCurrentVector } from './embed-query.ts';
import { fuseLegs } from './fuse-ranks.ts';
import { isOutage } from './is-outage.ts';
import { planSearch } from './plan-search.ts';
import { defaultSearchSettings, type HybridSettings, type SearchKind } from './search-settings.ts';

export interface DocumentSearchParts {
  readonly descriptions: DescriptionSearch;
  readonly embedder: EmbeddingModel;
  /** By default one that is not shared with other searches. */
  readonly embedQuery?: EmbedQuery;
}

/** Minimum number of candidates of each leg. */
const MIN_VECTOR_CANDIDATES = 100;
const MIN_TEXT_CANDIDATES = 200;

/**
 * Wraps a corpus so that its documents are found by full text and, with a semantic embedder, by vectors of their titles
 * and summaries.
 */
export function withDescriptions<Searched extends Corpus>(corpus: Searched, parts: DocumentSearchParts): Searched {
  const search = createDocumentSearch(parts);
  return {
    ...corpus,
    searchDocuments: (query: DocumentQuery) => search(query, undefined),
    at: (asOf: string): CorpusView => ({ ...corpus.at(asOf), searchDocuments: (query) => search(query, asOf) }),
  };
}

function createDocumentSearch(parts: DocumentSearchParts) {
  const { descriptions, embedder, embedQuery = createQueryEmbedder(embedder) } = parts;
  const never = new AbortController().signal;

  async function rank(query: DocumentQuery, kind: SearchKind, asOf: string | undefined): Promise<FoundDescriptions> {
    const { filter, offset, limit, signal = never } = query;
    const text = cutQuery(query.text);
    const meaning = kind === 'semantic' ? Math.max(MIN_VECTOR_CANDIDATES, offset + limit) : MIN_VECTOR_CANDIDATES;
    const limits = { words: kind === 'semantic' ? 0 : Math.max(MIN_TEXT_CANDIDATES, offset + limit), meaning: meaning };
    const request = { text, filter, asOf, limits, signal };
    if (kind === 'full_text') return descriptions.rank(request);
    try {
      return await withCurrentVector(
        () => embedQuery(text, signal),
        (near) => descriptions.rank({ ...request, near }),
      );
    } catch (error) {
      // On an embedder outage, full text alone is better than no answer.
      if (kind === 'semantic' || signal.aborted || !isOutage(error)) throw error;
      return descriptions.rank(request);
    }
  }

  return async (query: DocumentQuery, asOf: string | undefined): Promise<Paged<FoundDocument>> => {
    const { filter, limit, offset } = query;
    // With a lexical embedder full text is better, and no vectors are stored.
    const kind = isSemantic(embedder) ? (query.kind ?? 'hybrid') : 'full_text';
    const settings = { ...defaultSearchSettings, filter, limit, offset, kind };
    const plan = planSearch({ ...settings, hybrid: { ...defaultWeights(embedder), ...query.hybrid } }, embedder);
    const { byWords, byMeaning, total } = await rank(query, kind, asOf);
    const named = (hits: FoundDescriptions['byWords']) => hits.map(({ key }) => ({ id: key }));
    let ranked = kind === 'semantic' ? byMeaning : byWords;
    if (kind === 'hybrid' && byMeaning.length > 0) {
      const fused = fuseLegs(named(byMeaning), named(byWords), { ...plan.hybrid, limit: MIN_VECTOR_CANDIDATES });
      ranked = fused.map(({ item, score }) => ({ key: item.id, score }));
    }
    const shown = ranked.slice(offset, offset + limit);
    const documents = await descriptions.read(
      shown.map(({ key }) => key),
      asOf,
    );
    const searchedBy = kind === 'hybrid' && byMeaning.length === 0 ? 'full_text' : kind;
    return {
      items: shown.flatMap(({ key, score }) => {
        const document: Document | undefined = documents.get(key);
        // Empty when the document was removed between the two queries.
        return document === undefined ? [] : [{ ...document, score, searchedBy }];
      }),
      total: kind === 'semantic' ? ranked.length : total,
    };
  };
}

/**
 * Descriptions are short, so vectors learned from the corpus get the same weight as full text (measured in
 * docs/decisions.md).
 */
const defaultWeights = ({ isLearned }: EmbeddingModel): Partial<HybridSettings> =>
  isLearned === true ? { fullTextWeight: 1, semanticWeight: 1 } : {};
