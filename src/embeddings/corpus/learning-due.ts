import { isBuiltIn, LEARNED_EMBEDDING } from '../built-in-names.ts';
import type { ChunksFolded } from '../lsa/lsa-embeddings.ts';

/** Input for the decision whether to train on the corpus. */
export interface LearningFacts {
  /** `CITEWELL_EMBEDDING_MODEL` */
  readonly setting: string | undefined;
  /** Embedder chosen for this corpus with `citewell reindex`. */
  readonly chosen: string | undefined;
  /** Default embedder for a new corpus; a provider's model when its key is set. */
  readonly preferred: string;
  /** The embedder in use. */
  readonly embedder: string;
  readonly chunkCount: number;
  /** The trained model in use with the size of its training set; undefined when missing or damaged. */
  readonly inUse: { readonly chunkCount: number; readonly knownShare: number } | undefined;
  /** Chunks embedded since. */
  readonly foldedSince: ChunksFolded;
}

/** No chunks have been embedded since training. */
export const nothingFolded: ChunksFolded = { chunkCount: 0, known: 0, terms: 0 };

export interface LearningDecision {
  readonly isDue: boolean;
  /** Why this embedder is in use, or what is about to happen, as a sentence. */
  readonly reason: string;
}

/** From this size on, training beat lexical hashing on every test collection, at little cost (docs/decisions.md). */
const MIN_CHUNKS = 100;
/** Minimum when the embedder is requested by name. */
export const MIN_WHEN_REQUESTED = 20;
const RETRAIN_GROWTH = 1.5;
/** Retraining is due if the unknown share rises by 0.2, judged on at least a tenth as many chunks as in training. */
const MIN_SHARE_TO_JUDGE = 0.1;
const MAX_UNKNOWN_INCREASE = 0.2;
const MIN_TERMS_TO_JUDGE = 5_000;

/** Decides whether to train on the corpus now, and gives the reason. */
export function decideLearning(facts: LearningFacts): LearningDecision {
  const { setting, chosen, preferred, embedder } = facts;
  const choice = setting ?? chosen;
  if (!isBuiltIn(embedder))
    return no(choice === undefined ? 'It is what the corpus was embedded with.' : originOfChoice(facts));
  if (choice !== undefined && choice !== LEARNED_EMBEDDING) return no(originOfChoice(facts));
  if (embedder === LEARNED_EMBEDDING) return decideRelearning(facts);
  if (choice === undefined && !isBuiltIn(preferred)) {
    return no(`The corpus was created with it; ${preferred} could replace it.`);
  }
  const min = choice === undefined ? MIN_CHUNKS : MIN_WHEN_REQUESTED;
  if (facts.chunkCount < min) {
    return no(
      `Once there are ${min} passages, ${LEARNED_EMBEDDING} is learned from them; there are ${facts.chunkCount}.`,
    );
  }
  return yes(
    `There are enough passages (${facts.chunkCount}) to learn ${LEARNED_EMBEDDING} from: ` +
      'a running server does that when it is idle, "citewell reindex" at once.',
  );
}

function decideRelearning({ chunkCount, inUse, foldedSince }: LearningFacts): LearningDecision {
  if (inUse === undefined) {
    if (chunkCount === 0) return no('The corpus is empty, so there is nothing to train on.');
    return yes('The model learned from the corpus is missing or damaged, so it is being retrained.');
  }
  if (chunkCount >= inUse.chunkCount * RETRAIN_GROWTH) {
    return yes(`The corpus has grown from ${inUse.chunkCount} to ${chunkCount} passages since training.`);
  }
  const isLargeSample =
    foldedSince.terms >= MIN_TERMS_TO_JUDGE && foldedSince.chunkCount >= inUse.chunkCount * MIN_SHARE_TO_JUDGE;
  const unknown = isLargeSample ? 1 - foldedSince.known / foldedSince.terms : 0;
  if (unknown > 1 - inUse.knownShare + MAX_UNKNOWN_INCREASE) {
    return yes(`${Math.round(100 * unknown)} % of the words added since training are unknown to it.`);
  }
  return no(`It was learned from ${inUse.chunkCount} passages of your documents.`);
}

const originOfChoice = ({ setting }: LearningFacts): string =>
  setting === undefined
    ? 'It was chosen for this corpus with "citewell reindex".'
    : 'CITEWELL_EMBEDDING_MODEL names it.';

const yes = (reason: string): LearningDecision => ({ isDue: true, reason });
const no = (reason: string): LearningDecision => ({ isDue: false, reason });
