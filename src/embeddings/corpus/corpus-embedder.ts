import { ServiceError } from '../../errors.ts';
import type { LearnedEmbedders } from '../../store/learned-embedders.ts';
import { isSameSpace } from '../../store/vector-index.ts';
import type { ReindexProgress, VectorSpace, VectorSpaces } from '../../store/vector-spaces.ts';
import type { CorpusWatch } from '../../store/watch-corpus.ts';
import { isBuiltIn, LEARNED_EMBEDDING, STATIC_EMBEDDING } from '../built-in-names.ts';
import type { Embedders } from '../embedders.ts';
import type { EmbeddingModel } from '../embedding-model.ts';
import type { LsaModel } from '../lsa/lsa-model.ts';
import { chooseEmbedder, claimSpace, targetEmbedder } from './choose-embedder.ts';
import { createLearner, type Learner, type LearnerParts } from './learner.ts';
import { replaceableEmbedder } from './replaceable-embedder.ts';
import { lostEmbedder, unopenedEmbedder } from './stand-in-embedders.ts';
import { readLearned } from './train-model.ts';

export interface EmbedderParts {
  readonly embedders: Embedders;
  readonly spaces: VectorSpaces;
  readonly learned: LearnedEmbedders;
  readonly changes: CorpusWatch;
  readonly log: LearnerParts['log'];
  readonly pauses?: LearnerParts['pauses'] | undefined;
  readonly isLeader?: LearnerParts['isLeader'];
}

export interface ReindexRequest {
  /** Provider-qualified embedder; undefined means the configured one, or the one to train if nothing is configured. */
  readonly model?: string;
  /** Return to the previous vector space. */
  readonly back: boolean;
}

/** The embedder of the corpus and the operations that change it. */
export interface CorpusEmbedder {
  /** Usable after `open`. */
  readonly embeddings: EmbeddingModel;
  readonly learner: Learner;
  /**
   * Loads the embedder of the corpus, or chooses the first one. Throws `embedding_mismatch` if the configuration
   * requires another, and errors of `Embedders.create`. `keep` ignores the configuration in favour of the corpus.
   */
  open(options: { readonly keep: boolean }): Promise<void>;
  /** Switches to the embedder with which another server has re-embedded the corpus. */
  follow(): Promise<void>;
  /** Why this embedder is in use, or what is being done about it, as a sentence. */
  reason(): Promise<string>;
  reindex(request: ReindexRequest, signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace>;
}

export function createCorpusEmbedder(parts: EmbedderParts): CorpusEmbedder {
  const { embedders, spaces, learned, log } = parts;
  const { required, preferred } = embedders;
  const embedder = replaceableEmbedder(unopenedEmbedder(required ?? preferred));
  const { embeddings } = embedder;
  const learner = createLearner({ ...parts, store: learned, embedder });

  interface StoredState {
    readonly current: VectorSpace | undefined;
    /** The trained model, when the corpus uses it; undefined when it is lost. */
    readonly model: LsaModel | undefined;
    /** The embedder chosen for this corpus. */
    readonly chosen: string | undefined;
    readonly keep: boolean;
  }

  function firstEmbedder({ current, model, chosen, keep }: StoredState): EmbeddingModel {
    if (current?.embedder === LEARNED_EMBEDDING && (keep || (required ?? LEARNED_EMBEDDING) === LEARNED_EMBEDDING)) {
      if (model !== undefined) return learner.register(model);
      return lostEmbedder({ space: current, retrain: (signal) => learner.retrain(signal) });
    }
    if (required !== LEARNED_EMBEDDING || keep) {
      const first = chooseEmbedder({ embedders, current, keep });
      return required === undefined && chosen !== first.name ? provisional(first) : first;
    }
    // Until the corpus is large enough for training, another built-in embedder is used.
    if (current === undefined || current.vectors === 0) return provisional(embedders.create(STATIC_EMBEDDING));
    if (isBuiltIn(current.embedder)) return provisional(embedders.create(current.embedder));
    throw new ServiceError(
      'embedding_mismatch',
      `The corpus was embedded with ${current.embedder}, but ${LEARNED_EMBEDDING} is chosen now. ` +
        `Choose the first again with CITEWELL_EMBEDDING_MODEL, or run: citewell reindex --to ${LEARNED_EMBEDDING}`,
    );
  }

  async function* moveTo(request: ReindexRequest, signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace> {
    const name = await targetEmbedder(spaces, request, await defaultTarget());
    if (name === LEARNED_EMBEDDING && !request.back) return yield* learner.train(signal);
    const named = name === LEARNED_EMBEDDING ? await recallPrevious() : embedders.create(name);
    const target = required === undefined && request.model === undefined ? provisional(named) : named;
    const space = yield* request.back ? spaces.goBack(target, signal) : spaces.reindex(target, signal);
    embedder.replace(target);
    return space;
  }

  // Re-embedding without a name never downgrades, and trains if training is due.
  async function defaultTarget(): Promise<string> {
    if (required !== undefined || !isBuiltIn(preferred)) return preferred;
    return embeddings.name === LEARNED_EMBEDDING || (await learner.decide()).isDue ? LEARNED_EMBEDDING : preferred;
  }

  async function recallPrevious(): Promise<EmbeddingModel> {
    const previous = (await spaces.list()).find(({ state }) => state === 'previous');
    return learner.loadEmbedder(previous?.version ?? '');
  }

  async function open({ keep }: { readonly keep: boolean }): Promise<void> {
    const stored = await spaces.current();
    const isLearned = stored?.embedder === LEARNED_EMBEDDING;
    const model = isLearned ? await readLearned(learned, stored.version) : undefined;
    const isLost = isLearned && model === undefined;
    // In an empty corpus a lost model does not matter; treat the corpus as new.
    const current = isLost && (await learned.countStoredChunks()) === 0 ? undefined : stored;
    embedder.replace(firstEmbedder({ current, model, chosen: await learned.chosen(), keep }));
    const warn = (message: string, cause: unknown) => log.warn({ err: cause }, message);
    if (!keep) await claimSpace(embeddings, { spaces, current, warn });
    if (isLost && current !== undefined) {
      log.warn(
        {},
        `What ${LEARNED_EMBEDDING} learned from the corpus is missing or damaged. ` +
          'It is being retrained; until then search uses full text only.',
      );
    }
  }

  return {
    embeddings,
    learner,
    open,
    async follow() {
      const current = await spaces.current();
      const isMoving = learner.state().kind === 'learning' || learner.state().kind === 'embedding';
      if (current === undefined || isMoving || isSameSpace(current, await embeddings.space())) return;
      await open({ keep: true });
    },
    async reason() {
      const state = learner.state();
      switch (state.kind) {
        case 'learning':
          return `${LEARNED_EMBEDDING} is being learned from the corpus: ${Math.floor(100 * state.share)} %.`;
        case 'embedding':
          return `The corpus is being embedded with ${LEARNED_EMBEDDING}: ${count(state.done)} of ${count(state.total)} passages.`;
        case 'failed':
          return `${LEARNED_EMBEDDING} could not be learned: ${state.reason} It is tried again.`;
        case 'idle':
          return (await learner.decide()).reason;
      }
    },
    async *reindex(request, signal) {
      const space = yield* learner.runExclusively(() => moveTo(request, signal));
      if (request.back || request.model !== undefined) await learned.choose(space.embedder);
      return space;
    },
  };
}

// Used by default, not by explicit choice, and replaced when the corpus is large enough for training.
const provisional = (embedder: EmbeddingModel): EmbeddingModel =>
  embedder.name === STATIC_EMBEDDING ? { ...embedder, isProvisional: true } : embedder;

const count = (number: number): string => number.toLocaleString('en');
