import { ServiceError } from '../errors.ts';
import type { Model, ModelRegistry } from '../models/model.ts';
import { type PriceTable, priceOf } from '../models/prices.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import type { DocumentGraphRecords, GraphRecords, NewCommunity } from '../store/graph-records.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { CorpusWatch } from '../store/watch-corpus.ts';
import { describeCommunity } from './describe-community.ts';
import { nameWithOptions, narrowGraph, plainName, readExtractorOptions } from './extractor-options.ts';
import type { CommunityGroup } from './find-communities.ts';
import { BUILT_IN_EXTRACTOR, type ExtractedGraph, type GraphExtractor } from './graph.ts';
import { createGraphExtraction, type GraphExtraction } from './graph-extraction.ts';
import type { GraphThread } from './graph-thread.ts';
import { describeCommunityWithModel } from './model/describe-with-model.ts';
import { estimateExtraction } from './model/estimate-extraction.ts';
import { createModelExtractor } from './model/model-extractor.ts';

export interface GraphEstimate {
  readonly extractor: string;
  readonly documents: number;
  readonly chunks: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null when the model's price is not configured. */
  readonly cost: number | null;
}

/** Graph operations for the API, MCP and the command line. */
export interface GraphService {
  readonly records: GraphRecords;
  readonly documents: DocumentGraphRecords;
  readonly extraction: GraphExtraction;
  /** Estimated cost of extracting these documents. */
  estimate(documentIds: readonly string[], extractor: string | null): Promise<GraphEstimate>;
  /**
   * Detects the communities of a collection's graph and describes them, with a model if one is given. Returns their
   * number. Throws `invalid_request` if the graph has not changed since the last time.
   */
  buildCommunities(collectionId: string, model: string | undefined, signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

export interface GraphServiceParts {
  readonly records: GraphRecords;
  readonly documents: DocumentGraphRecords;
  readonly collections: Pick<CollectionRecords, 'get' | 'update'>;
  readonly thread: GraphThread;
  readonly models: ModelRegistry;
  readonly prices: PriceTable;
  /** Prompt texts; default: the built-in ones. */
  readonly prompts?: PromptTexts;
  readonly changes: CorpusWatch;
  readonly settings: GraphServiceSettings;
  readonly onIdle?: (signal: AbortSignal) => Promise<void>;
  readonly report: (message: string, cause?: unknown) => void;
}

export interface GraphServiceSettings {
  /** Documents are extracted as soon as they are published. */
  readonly isAutomatic: boolean;
  /** The default extractor's model; without one, the extractor that needs no model. */
  readonly model?: string;
}

/** Maximum number of entities (the most mentioned) and relationships used for communities. */
const COMMUNITY_LIMITS = { entities: 20_000, relationships: 200_000 } as const;
/** Maximum number of communities a model describes; the others are described without a model. */
const MAX_DESCRIBED_BY_MODEL = 60;

export function createGraphService(parts: GraphServiceParts): GraphService {
  const { records, documents, collections, thread, models, prices, settings } = parts;

  const extractorOf = (line: string | null): GraphExtractor => {
    const options = readExtractorOptions(line);
    const wanted = options.model ?? settings.model ?? BUILT_IN_EXTRACTOR;
    if (wanted === BUILT_IN_EXTRACTOR) {
      const { extractor } = thread;
      const extract: GraphExtractor['extract'] = async (...task) =>
        narrowGraph(await extractor.extract(...task), options);
      return { ...extractor, name: extractor.name, extract };
    }
    if (wanted.startsWith('builtin/')) {
      throw new ServiceError('unknown_model', `"${wanted}" extracts no graph; ${BUILT_IN_EXTRACTOR} does, or a model.`);
    }
    const extractor = createModelExtractor({
      ...options,
      model: models.resolve(wanted, 'fast'),
      prompts: parts.prompts,
    });
    return { ...extractor, name: nameWithOptions(extractor.name, options) };
  };

  const extraction = createGraphExtraction({
    records: documents,
    extractorOf,
    changes: parts.changes,
    isAutomatic: settings.isAutomatic,
    ...(parts.onIdle && { onIdle: parts.onIdle }),
    report: parts.report,
  });

  return {
    records,
    documents,
    extraction,

    async estimate(documentIds, name) {
      const extractor = extractorOf(name);
      const isFree = extractor.name === BUILT_IN_EXTRACTOR;
      const options = readExtractorOptions(name);
      const price = priceOf(plainName(extractor.name), prices);
      const none = { extractor: plainName(extractor.name), documents: documentIds.length, chunks: 0 };
      let sum: GraphEstimate = { ...none, calls: 0, inputTokens: 0, outputTokens: 0, cost: isFree || price ? 0 : null };
      for (const id of documentIds) {
        const chunks = await documents.extractionChunksOf(id);
        const each = isFree
          ? { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0 }
          : estimateExtraction(chunks, price, { ...options, prompts: parts.prompts });
        sum = {
          ...sum,
          chunks: sum.chunks + chunks.length,
          calls: sum.calls + each.calls,
          inputTokens: sum.inputTokens + each.inputTokens,
          outputTokens: sum.outputTokens + each.outputTokens,
          cost: sum.cost === null || each.cost === null ? null : sum.cost + each.cost,
        };
      }
      return sum;
    },

    async buildCommunities(collectionId, modelName, signal) {
      const collection = await collections.get(collectionId);
      if (collection === undefined) throw new ServiceError('not_found', `There is no graph ${collectionId}.`);
      if (collection.graphClusterStatus === 'success') {
        throw new ServiceError(
          'invalid_request',
          'The communities of this graph are built already. Reset or change the graph to rebuild them.',
        );
      }
      const model = modelName === undefined ? undefined : models.resolve(modelName, 'fast');
      await collections.update(collectionId, { graphClusterStatus: 'processing' });
      try {
        const graph = await readGraph(records, collectionId);
        const groups = await thread.findCommunities(graph, signal);
        const built = await describeGroups(groups, { model, prompts: parts.prompts }, signal);
        await records.replaceBuilt(collectionId, built);
        return built.length;
      } catch (error) {
        await collections.update(collectionId, { graphClusterStatus: signal.aborted ? 'pending' : 'failed' });
        throw error;
      }
    },

    async close() {
      await extraction.close();
      await thread.close();
    },
  };
}

/** Reads the graph with entities referenced by name; their ids are kept in the metadata. */
async function readGraph(records: GraphRecords, collectionId: string): Promise<ExtractedGraph> {
  const { nodes, edges } = await records.outline(collectionId, {
    nodes: { offset: 0, limit: COMMUNITY_LIMITS.entities },
    edges: COMMUNITY_LIMITS.relationships,
  });
  // Two entities with the same name must stay distinct here.
  const seen = new Set<string>();
  const nameOf = new Map<string, string>();
  for (const { id, name } of nodes) {
    const own = seen.has(name) ? `${name} (${id.slice(-6)})` : name;
    seen.add(own);
    nameOf.set(id, own);
  }
  return {
    entities: nodes.map(({ id, name, category, description }) => ({
      name: nameOf.get(id) ?? name,
      category,
      description,
      metadata: { id },
      mentions: [],
    })),
    relationships: edges.map(({ subjectId, objectId, predicate, description, weight }) => ({
      subject: nameOf.get(subjectId) ?? '',
      predicate,
      object: nameOf.get(objectId) ?? '',
      description,
      weight,
      metadata: {},
      mentions: [],
    })),
  };
}

async function describeGroups(
  groups: readonly CommunityGroup[],
  { model, prompts }: { readonly model: Model | undefined; readonly prompts: PromptTexts | undefined },
  signal: AbortSignal,
): Promise<NewCommunity[]> {
  const built: NewCommunity[] = [];
  for (const [place, group] of groups.entries()) {
    signal.throwIfAborted();
    const community =
      model === undefined || place >= MAX_DESCRIBED_BY_MODEL
        ? describeCommunity(group)
        : await describeCommunityWithModel(group, { model, ...(prompts && { prompts }) }, signal);
    const { name, summary, findings, rating, ratingExplanation, level } = community;
    built.push({
      name,
      summary,
      findings,
      rating,
      ratingExplanation,
      level,
      attributes: {},
      memberIds: group.members.flatMap(({ metadata }) => (typeof metadata['id'] === 'string' ? [metadata['id']] : [])),
    });
  }
  return built;
}
