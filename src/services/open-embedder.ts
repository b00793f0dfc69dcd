import type { Config } from '../config.ts';
import type { EmbeddingModel } from '../embeddings/embedding-model.ts';
import type { LsaModel } from '../embeddings/lsa/lsa-model.ts';
import {
  createEmbeddingModel,
  type EmbeddingSettings,
  LEARNED_EMBEDDING,
  LEXICAL_EMBEDDING,
} from '../embeddings/registry.ts';
import { ServiceError } from '../errors.ts';
import type { ReindexRequest } from '../http/http-services.ts';
import type { LearnedEmbedders } from '../store/learned-embedders.ts';
import type { ReindexProgress, VectorSpace, VectorSpaces } from '../store/vector-spaces.ts';
import type { CorpusWatch } from '../store/watch-corpus.ts';
import { chooseEmbedder, claimSpace, targetEmbedder } from './choose-embedder.ts';
import { createLearner, type Learner, type LearnerParts, readLearned } from './learner.ts';
import { lostEmbedder } from './lost-embedder.ts';
import { replaceableEmbedder } from './replaceable-embedder.ts';

export interface EmbedderParts {
  readonly config: Pick<Config, 'embeddingModel'>;
  readonly settings: EmbeddingSettings;
  /** What the settings would choose for a new corpus. */
  readonly preferred: string;
  readonly spaces: VectorSpaces;
  readonly learned: LearnedEmbedders;
  readonly changes: CorpusWatch;
  /** Take the corpus as it is, whatever the settings say. */
  readonly keep: boolean;
  readonly log: LearnerParts['log'];
  readonly pauses?: LearnerParts['pauses'];
}

/** The embedder of the corpus, and all that changes it. */
export interface CorpusEmbedder {
  readonly embeddings: EmbeddingModel;
  readonly learner: Learner;
  /** Why this embedder is in use, or what is being done about it: a sentence for people. */
  reason(): Promise<string>;
  reindex(request: ReindexRequest, signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace>;
}

/** Throws `embedding_mismatch` when the corpus is of another embedder than the settings name, and what the registry throws. */
export async function openEmbedder(parts: EmbedderParts): Promise<CorpusEmbedder> {
  const { config, settings, preferred, spaces, learned, changes, keep, log } = parts;
  const stored = await spaces.current();
  const isLearned = stored?.embedder === LEARNED_EMBEDDING;
  const model = isLearned ? await readLearned(learned, stored.version) : undefined;
  const isLost = isLearned && model === undefined;
  // With nothing to learn from, what is lost is no loss: the corpus begins anew.
  const current = isLost && (await learned.countStoredChunks()) === 0 ? undefined : stored;

  const create = (from: LsaModel, onChunksFolded?: Parameters<LearnerParts['create']>[1]) =>
    createEmbeddingModel(LEARNED_EMBEDDING, { ...settings, learned: { learned: async () => from, onChunksFolded } });
  const restore = (signal?: AbortSignal) => learner.restore(signal);
  const first = firstEmbedder();
  const embedder = replaceableEmbedder(first);
  const learner = createLearner({
    spaces,
    store: learned,
    embedder,
    create,
    facts: { setting: config.embeddingModel, preferred },
    inUse: model,
    changes,
    log,
    ...(parts.pauses && { pauses: parts.pauses }),
  });
  if (model !== undefined && first.isLearned) embedder.replace(learner.embedderOf(model));
  const { embeddings } = embedder;
  const warn = (message: string, cause: unknown) => log.warn({ err: cause }, message);
  if (!keep) await claimSpace(embeddings, { spaces, current, warn });
  if (isLost && current !== undefined) {
    log.warn(
      {},
      `What ${LEARNED_EMBEDDING} learned from the corpus is missing or damaged. ` +
        'It is learned anew; until then search is by full text.',
    );
  }

  function firstEmbedder(): EmbeddingModel {
    const { embeddingModel } = config;
    if (
      current?.embedder === LEARNED_EMBEDDING &&
      (keep || (embeddingModel ?? LEARNED_EMBEDDING) === LEARNED_EMBEDDING)
    ) {
      return model === undefined ? lostEmbedder({ space: current, restore }) : create(model);
    }
    if (embeddingModel !== LEARNED_EMBEDDING || keep) {
      return chooseEmbedder({ config, settings, preferred, current, keep });
    }
    // Until there is something to learn from, shared words have to do.
    if (current === undefined || current.embedder === LEXICAL_EMBEDDING || current.vectors === 0) {
      return createEmbeddingModel(LEXICAL_EMBEDDING, settings);
    }
    throw new ServiceError(
      'embedding_mismatch',
      `The corpus was embedded with ${current.embedder}, but ${LEARNED_EMBEDDING} is chosen now. ` +
        `Choose the first again with CITEWELL_EMBEDDING_MODEL, or run: citewell reindex --to ${LEARNED_EMBEDDING}`,
    );
  }

  async function* moveTo(request: ReindexRequest, signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace> {
    const name = await targetEmbedder(spaces, request, defaultTarget());
    if (name === LEARNED_EMBEDDING && !request.back) return yield* learner.learn(signal);
    const target = name === LEARNED_EMBEDDING ? await recallPrevious() : createEmbeddingModel(name, settings);
    const space = yield* request.back ? spaces.goBack(target, signal) : spaces.reindex(target, signal);
    embedder.replace(target);
    return space;
  }

  // Asked to embed anew without a name, nobody wants less than there is.
  const defaultTarget = () =>
    config.embeddingModel === undefined && preferred === LEXICAL_EMBEDDING && embeddings.isLearned
      ? LEARNED_EMBEDDING
      : preferred;

  async function recallPrevious(): Promise<EmbeddingModel> {
    const previous = (await spaces.list()).find(({ state }) => state === 'previous');
    return learner.recall(previous?.version ?? '');
  }

  return {
    embeddings,
    learner,
    async reason() {
      const state = learner.state();
      switch (state.kind) {
        case 'learning':
          return `${LEARNED_EMBEDDING} is being learned from the corpus: ${Math.floor(100 * state.share)} %.`;
        case 'embedding':
          return `The corpus is being embedded with ${LEARNED_EMBEDDING}: ${state.done} of ${state.total} passages.`;
        case 'failed':
          return `${LEARNED_EMBEDDING} could not be learned: ${state.reason} It is tried again.`;
        case 'idle':
          return (await learner.decide()).reason;
      }
    },
    async *reindex(request, signal) {
      const space = yield* learner.instead(() => moveTo(request, signal));
      if (request.back || request.model !== undefined) await learned.choose(space.embedder);
      return space;
    },
  };
}
