import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import type { LearnedEmbedders } from '../../store/learned-embedders.ts';
import type { ReindexProgress, VectorSpace, VectorSpaces } from '../../store/vector-spaces.ts';
import type { CorpusWatch } from '../../store/watch-corpus.ts';
import { LEARNED_EMBEDDING } from '../built-in-names.ts';
import type { Embedders } from '../embedders.ts';
import type { EmbeddingModel } from '../embedding-model.ts';
import { lsaEmbeddings } from '../lsa/lsa-embeddings.ts';
import type { LsaModel } from '../lsa/lsa-model.ts';
import { createCorpusTrigger, type TriggerPauses } from './corpus-trigger.ts';
import { decideLearning, type LearningDecision, MIN_WHEN_REQUESTED, nothingFolded } from './learning-due.ts';
import type { ReplaceableEmbedder } from './replaceable-embedder.ts';
import { readLearned, trainModel } from './train-model.ts';

export interface LearnerParts {
  readonly spaces: Pick<VectorSpaces, 'list' | 'reindex'>;
  readonly store: LearnedEmbedders;
  readonly embedder: ReplaceableEmbedder;
  readonly embedders: Pick<Embedders, 'required' | 'preferred' | 'packaged' | 'learn'>;
  readonly changes: CorpusWatch;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  readonly pauses?: TriggerPauses | undefined;
  /** Whether this server trains for all servers that share the database; by default it does. */
  readonly isLeader?: (() => boolean) | undefined;
}

/** State of training on the corpus. */
export type LearnerState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'learning'; readonly share: number }
  | ({ readonly kind: 'embedding' } & ReindexProgress)
  | { readonly kind: 'failed'; readonly reason: string };

/** Trains an embedder on the corpus, retrains it as the corpus grows, and re-embeds the corpus with it. */
export interface Learner {
  state(): LearnerState;
  decide(): Promise<LearningDecision>;
  /** Starts watching the corpus in the background. */
  start(): void;
  /** Trains and re-embeds now if due, and yields the progress; for a program about to exit. */
  trainIfDue(signal: AbortSignal): AsyncGenerator<ReindexProgress, void>;
  /** Trains and re-embeds now on request. Throws `invalid_request` when the corpus is too small. */
  train(signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace>;
  /** Registers the trained model in use; returns its embedder, whose unknown words are counted. */
  register(model: LsaModel): EmbeddingModel;
  /** The embedder of an earlier trained space. Throws `provider_failed` when its model is lost. */
  loadEmbedder(version: string): Promise<EmbeddingModel>;
  /** Retrains a lost model; resolves with the new embedder. */
  retrain(signal?: AbortSignal): Promise<EmbeddingModel>;
  /** Stops background work, runs this instead, and resumes afterwards. */
  runExclusively<Step, Result>(work: () => AsyncGenerator<Step, Result>): AsyncGenerator<Step, Result>;
  close(): Promise<void>;
}

const DEFAULT_PAUSES = { quiet: 3_000, longest: 60_000, retry: 300_000 };

export function createLearner(parts: LearnerParts): Learner {
  const { spaces, store, embedder, embedders, changes, log, pauses = DEFAULT_PAUSES, isLeader = () => true } = parts;
  const facts = { setting: embedders.required, preferred: embedders.preferred };
  let inUse: LsaModel | undefined;
  let foldedSince = nothingFolded;
  let state: LearnerState = { kind: 'idle' };

  const embedderOf = (model: LsaModel) =>
    lsaEmbeddings({
      name: LEARNED_EMBEDDING,
      learned: async () => model,
      packaged: embedders.packaged,
      onChunksFolded({ chunkCount, known, terms }) {
        foldedSince = {
          chunkCount: foldedSince.chunkCount + chunkCount,
          known: foldedSince.known + known,
          terms: foldedSince.terms + terms,
        };
      },
    });

  const decide = async () =>
    decideLearning({
      ...facts,
      chosen: await store.chosen(),
      embedder: embedder.embeddings.name,
      chunkCount: await store.countStoredChunks(),
      inUse,
      foldedSince,
    });

  async function* move(signal: AbortSignal): AsyncGenerator<ReindexProgress, VectorSpace> {
    try {
      const model = yield* trained(signal);
      const target = embedderOf(model);
      const steps = spaces.reindex(target, signal);
      for (;;) {
        const step = await steps.next();
        if (step.done) {
          use(model, target);
          return step.value;
        }
        state = { kind: 'embedding', ...step.value };
        yield step.value;
      }
    } finally {
      state = { kind: 'idle' };
    }
  }

  async function* trained(signal: AbortSignal): AsyncGenerator<ReindexProgress, LsaModel> {
    const steps = trainModel(parts, signal);
    for (;;) {
      const step = await steps.next();
      if (step.done) return step.value;
      state = { kind: 'learning', share: step.value.trained };
      yield step.value;
    }
  }

  function use(model: LsaModel, target: EmbeddingModel): void {
    inUse = model;
    foldedSince = nothingFolded;
    embedder.replace(target);
    void store.forgetUnused().catch((error: unknown) => log.warn({ err: error }, 'An old embedder was not removed.'));
  }

  async function trainInBackground(signal: AbortSignal): Promise<boolean> {
    if (!isLeader()) return true;
    const { isDue, reason } = await decide();
    if (!isDue || signal.aborted) return true;
    log.info({ reason }, 'Learning from the corpus what words go together.');
    const startedAt = performance.now();
    try {
      for await (const _ of move(signal));
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      log.info({ seconds, chunkCount: inUse?.chunkCount }, `Search is with ${LEARNED_EMBEDDING} now.`);
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      state = { kind: 'failed', reason: (error as Error).message };
      log.warn({ err: error }, 'The corpus could not be learned from; search goes on as it was.');
      return false;
    }
  }

  const trigger = createCorpusTrigger({
    changes,
    pauses,
    work: trainInBackground,
    onError: (error) => log.warn({ err: error }, 'Whether to train on the corpus could not be decided.'),
  });

  return {
    state: () => state,
    decide,
    register(model) {
      inUse = model;
      return embedderOf(model);
    },
    start: trigger.start,
    async *trainIfDue(signal) {
      if ((await decide()).isDue) yield* trigger.runExclusively(() => move(signal));
    },
    async *train(signal) {
      const chunkCount = await store.countStoredChunks();
      if (chunkCount >= MIN_WHEN_REQUESTED) return yield* move(signal);
      throw new ServiceError(
        'invalid_request',
        `${LEARNED_EMBEDDING} is learned from the corpus, and ${chunkCount} passages are too few: ` +
          `ingest more, ${MIN_WHEN_REQUESTED} at least.`,
      );
    },
    async loadEmbedder(version) {
      const model = await readLearned(store, version);
      if (model !== undefined) return embedderOf(model);
      throw new ServiceError(
        'provider_failed',
        `The model of ${LEARNED_EMBEDDING} is missing or damaged. Retrain it with: citewell reindex --to ${LEARNED_EMBEDDING}`,
      );
    },
    retrain(signal) {
      const next = embedder.next(signal);
      trigger.begin();
      return next;
    },
    runExclusively: trigger.runExclusively,
    async close() {
      await trigger.close();
      // A re-embedding that is just ending still has one more statement to execute.
      await sleep(0);
    },
  };
}
