import { LEARNED_EMBEDDING, LEXICAL_EMBEDDING } from '../built-in-names.ts';
import type { ChunksFolded } from '../lsa/lsa-embeddings.ts';

/** What decides whether the corpus is learned from. */
export interface LearningFacts {
  /** `CITEWELL_EMBEDDING_MODEL` */
  readonly setting: string | undefined;
  /** The embedder a person re-embedded this corpus with. */
  readonly chosen: string | undefined;
  /** What the settings would choose for a new corpus: a real model's name where there is a key for one. */
  readonly preferred: string;
  /** The embedder in use. */
  readonly embedder: string;
  readonly passages: number;
  /** What is in use, learned from so many passages; undefined when it is missing or damaged. */
  readonly inUse: { readonly passages: number; readonly knownShare: number } | undefined;
  /** Embedded since. */
  readonly met: ChunksFolded;
}

export interface LearningDecision {
  readonly isDue: boolean;
  /** Why this embedder is in use, or what is about to be done: a sentence for people. */
  readonly reason: string;
}

/** From so many on it was better than shared words on every collection tried, and takes no time (docs/decisions.md). */
const MIN_CHUNKS = 100;
/** Whoever asks for it by name gets it sooner, but not from nothing. */
export const MIN_WHEN_REQUESTED = 20;
const GROWTH = 1.5;
/** New words are counted in a tenth as many passages, and are too many when they are a fifth more than there were. */
const SHARE_TO_JUDGE_BY = 0.1;
const MORE_UNKNOWN = 0.2;
const TERMS_TO_JUDGE_BY = 5_000;

/** Whether to learn from the corpus now, and why. */
export function decideLearning(facts: LearningFacts): LearningDecision {
  const { setting, chosen, preferred, embedder } = facts;
  const asked = setting ?? chosen;
  const isOurs = embedder === LEXICAL_EMBEDDING || embedder === LEARNED_EMBEDDING;
  if (!isOurs) return no(asked === undefined ? 'It is what the corpus was embedded with.' : whoChose(facts));
  if (asked !== undefined && asked !== LEARNED_EMBEDDING) return no(whoChose(facts));
  if (embedder === LEARNED_EMBEDDING) return decideRelearning(facts);
  if (asked === undefined && preferred !== LEXICAL_EMBEDDING) {
    return no(`The corpus was begun with it; ${preferred} could take its place.`);
  }
  const least = asked === undefined ? MIN_CHUNKS : MIN_WHEN_REQUESTED;
  if (facts.passages < least) {
    return no(`From ${least} passages on, ${LEARNED_EMBEDDING} is learned from them; there are ${facts.passages}.`);
  }
  return yes(`There are passages enough (${facts.passages}) to learn ${LEARNED_EMBEDDING} from.`);
}

function decideRelearning({ passages, inUse, met }: LearningFacts): LearningDecision {
  if (inUse === undefined) {
    if (passages === 0) return no('Nothing is stored that it could be learned from.');
    return yes('What was learned from the corpus is missing or damaged, so it is learned anew.');
  }
  if (passages >= inUse.passages * GROWTH) {
    return yes(`The corpus has grown from ${inUse.passages} to ${passages} passages since it was learned from.`);
  }
  const isTelling = met.terms >= TERMS_TO_JUDGE_BY && met.passages >= inUse.passages * SHARE_TO_JUDGE_BY;
  const unknown = isTelling ? 1 - met.known / met.terms : 0;
  if (unknown > 1 - inUse.knownShare + MORE_UNKNOWN) {
    return yes(`${Math.round(100 * unknown)} % of the words that came since it was learned are unknown to it.`);
  }
  return no(`It was learned from ${inUse.passages} passages of this corpus.`);
}

const whoChose = ({ setting }: LearningFacts): string =>
  setting === undefined
    ? 'It was chosen for this corpus with "citewell reindex".'
    : 'CITEWELL_EMBEDDING_MODEL names it.';

const yes = (reason: string): LearningDecision => ({ isDue: true, reason });
const no = (reason: string): LearningDecision => ({ isDue: false, reason });
