import { setImmediate } from 'node:timers/promises';
import { type GraphHit, graphHitText } from '../documents/graph-hit.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import type { EmbedQuery } from '../retrieval/embed-query.ts';
import { readQuery } from '../retrieval/read-query.ts';
import type { Retriever, SearchOutcome } from '../retrieval/retriever.ts';
import { defaultGraphSettings, type SearchSettings } from '../retrieval/search-settings.ts';
import { errorMessage } from '../shared/error-message.ts';
import type { Corpus } from '../store/corpus.ts';
import { cutQuery } from '../store/full-text/analyse.ts';
import { containsPhrase } from '../store/full-text/term-sequences.ts';
import type { GraphSearch } from '../store/graph-search.ts';
import { addSourceSentences } from './add-source-sentences.ts';

export interface GraphRetrieverParts {
  readonly retriever: Retriever;
  readonly graph: GraphSearch;
  readonly embedder: Pick<EmbeddingModel, 'isLexical'>;
  readonly embedQuery: EmbedQuery;
  readonly chunks: Pick<Corpus, 'chunksById'>;
  /** Receives a failure of the graph search once, until a search succeeds or fails with another reason. */
  readonly report: (message: string, cause: unknown) => void;
}

/** Maximum hits of each kind, regardless of the search's own limit. */
const MAX_HITS = 100;

/**
 * Wraps a retriever so that it also searches the graph: `local` search expands from the names in the query to their
 * neighbourhood and related communities, `global` searches communities only. Graph hits are returned alongside the
 * chunks and do not change their order. If the graph search fails, the outcome has no graph hits but a note.
 */
export function withGraph(parts: GraphRetrieverParts): Retriever {
  const { retriever, graph, embedder, chunks, report } = parts;
  let reported: string | undefined;

  function reportOnce(failure: unknown): void {
    const reason = errorMessage(failure);
    if (reason === reported) return;
    reported = reason;
    report(`The graph search failed: ${reason}`, failure);
  }

  // Null if the embedder fails; names are then found by full text only.
  async function embedQuery(query: string, signal: AbortSignal): Promise<Float32Array | null> {
    try {
      return (await parts.embedQuery(query, signal)).vector;
    } catch (error) {
      if (signal.aborted) throw error;
      return null;
    }
  }

  const search = async (query: string, settings: SearchSettings, signal: AbortSignal): Promise<readonly GraphHit[]> => {
    const { kind, limits } = settings.graph ?? defaultGraphSettings;
    const limit = Math.min(settings.limit, MAX_HITS);
    const isLocal = kind === 'local';
    const wanted = {
      entities: isLocal ? (limits.entities ?? limit) : 0,
      relationships: isLocal ? (limits.relationships ?? limit) : 0,
      communities: limits.communities ?? limit,
    };
    // Only names have vectors. A full-text search must not wait or pay for the embedder, and with a lexical one full
    // text on the names is equivalent and cheaper.
    const findsNames = wanted.entities > 0 || wanted.relationships > 0;
    const isByMeaning = findsNames && settings.kind !== 'full_text' && !embedder.isLexical;
    const { entities, relationships, communities } = await graph.search({
      text: query,
      vector: isByMeaning ? await embedQuery(query, signal) : null,
      filter: settings.filter,
      limits: wanted,
      signal,
    });
    const hits = [...entities, ...relationships, ...communities];
    return addSourceSentences(hits, (ids) => chunks.chunksById(ids));
  };

  return {
    async search(query, settings, signal): Promise<SearchOutcome> {
      const { enabled, withChunks } = settings.graph ?? defaultGraphSettings;
      // The graph represents the current state only.
      const isApplicable = enabled && settings.asOf === undefined && query.trim() !== '';
      const started = performance.now();
      const { text, excluded } = readQuery(cutQuery(query));
      const isNamed = text.trim() !== '';
      // The search for passages takes longer, so its requests leave first.
      const searching = isApplicable && isNamed ? setImmediate().then(() => search(text, settings, signal)) : undefined;
      let milliseconds = 0;
      const found = searching
        ?.then((hits) => {
          reported = undefined;
          return { hits: hits.filter((hit) => !containsAny(hit, excluded)), failure: undefined };
        })
        .catch((error: unknown) => {
          if (!signal.aborted) reportOnce(error);
          return { hits: [], failure: error };
        })
        .finally(() => {
          milliseconds = performance.now() - started;
        });
      const outcome = await retriever.search(
        query,
        withChunks ? settings : { ...settings, filter: { kind: 'none' } },
        signal,
      );
      if (found === undefined) return outcome;
      const { hits, failure } = await found;
      const { explanation } = outcome;
      const note = failure === undefined ? noteOnGlobal(hits, settings) : [FAILED];
      return {
        ...outcome,
        graph: hits,
        explanation: {
          ...explanation,
          milliseconds: { ...explanation.milliseconds, graph: milliseconds },
          notes: [...explanation.notes, ...note],
        },
      };
    },
  };
}

const FAILED = 'The graph search failed; these are the passages only.';

/** Without communities a global search cannot find anything, which would look as if the graph had nothing. */
function noteOnGlobal(hits: readonly GraphHit[], { graph = defaultGraphSettings }: SearchSettings): readonly string[] {
  if (graph.kind !== 'global' || graph.limits.communities === 0 || hits.length > 0) return [];
  return [
    'The global graph search found no community. It searches communities only: build those of the graph first, or ' +
      'use the local graph search, which also finds entities and relationships.',
  ];
}

const containsAny = (hit: GraphHit, excluded: readonly string[]): boolean =>
  excluded.length > 0 && excluded.some((words) => containsPhrase(graphHitText(hit), words));
