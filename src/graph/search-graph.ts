import { type GraphHit, graphHitText } from '../documents/graph-hit.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import { readQuery } from '../retrieval/read-query.ts';
import type { Retriever, SearchOutcome } from '../retrieval/retriever.ts';
import { defaultGraphSettings, type SearchSettings } from '../retrieval/search-settings.ts';
import { saysWords } from '../store/full-text/term-sequences.ts';
import type { GraphSearch } from '../store/graph-search.ts';

export interface GraphRetrieverParts {
  readonly retriever: Retriever;
  readonly graph: GraphSearch;
  readonly embedder: EmbeddingModel;
}

/** Of each kind, whatever the search's own limit. */
const MOST = 100;

/**
 * The same retriever, which looks into the graph besides: `local` from the names of the query over its neighbourhood
 * and to the communities that tell of it, `global` to the communities alone. What the graph finds stands beside the
 * chunks and does not change their order. A graph that cannot be searched costs its hits and a note.
 */
export function withGraph({ retriever, graph, embedder }: GraphRetrieverParts): Retriever {
  const search = async (query: string, settings: SearchSettings, signal: AbortSignal): Promise<readonly GraphHit[]> => {
    const { kind, limits } = settings.graph ?? defaultGraphSettings;
    const limit = Math.min(settings.limit, MOST);
    const local = kind === 'local' ? limit : 0;
    // Where nearness only means shared words, the words of the names say the same for less.
    const vector = embedder.isLexical ? null : await embedQuery(embedder, query, signal);
    const { entities, relationships, communities } = await graph.search({
      text: query,
      vector,
      filter: settings.filter,
      limits: {
        entities: kind === 'local' ? (limits.entities ?? local) : 0,
        relationships: kind === 'local' ? (limits.relationships ?? local) : 0,
        communities: limits.communities ?? limit,
      },
      signal,
    });
    return [...entities, ...relationships, ...communities];
  };

  return {
    async search(query, settings, signal): Promise<SearchOutcome> {
      const { enabled, withChunks } = settings.graph ?? defaultGraphSettings;
      // The graph tells of the present.
      const isAsked = enabled && settings.asOf === undefined && query.trim() !== '';
      const started = performance.now();
      const { text, excluded } = readQuery(query);
      const isNamed = text.trim() !== '';
      const asked = isAsked && isNamed ? search(text, settings, signal) : undefined;
      let milliseconds = 0;
      const found = asked
        ?.then((hits) => ({ hits: hits.filter((hit) => !saysAny(hit, excluded)), failure: undefined }))
        .catch((error: unknown) => ({ hits: [], failure: error }))
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
      const note = failure === undefined ? [] : ['The graph could not be searched; these are the passages alone.'];
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

const saysAny = (hit: GraphHit, excluded: readonly string[]): boolean =>
  excluded.length > 0 && excluded.some((words) => saysWords(graphHitText(hit), words));

// The names found by their words stand in where the embedder does not answer.
async function embedQuery(embedder: EmbeddingModel, query: string, signal: AbortSignal): Promise<Float32Array | null> {
  try {
    return (await embedder.embed([query], 'query', signal))[0] ?? null;
  } catch (error) {
    if (signal.aborted) throw error;
    return null;
  }
}
