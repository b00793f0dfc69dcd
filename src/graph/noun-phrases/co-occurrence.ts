import type { SubjectMention } from './gather-subjects.ts';
import type { Subject } from './mention-candidate.ts';
import type { Sentence } from './sentence.ts';

/** Two subjects that co-occur more often than by chance. */
export interface CoOccurrence {
  readonly first: Subject;
  readonly second: Subject;
  /** Between 0 and 1; lower than for a stated relationship. */
  readonly weight: number;
  /** Indexes of sentences in the document. */
  readonly sentences: readonly number[];
}

/** Maximum number of subjects paired per sentence, which limits the number of pairs in long lists. */
const MAX_SUBJECTS_PER_SENTENCE = 10;
/** Maximum number of co-occurring subjects kept per subject. */
const MAX_PER_SUBJECT = 6;
const MAX_SENTENCES = 20;

interface Count {
  readonly first: Subject;
  readonly second: Subject;
  count: number;
  readonly sentences: number[];
}

/** Counts subjects that share a sentence, weighted by normalised pointwise mutual information (NPMI). */
export function findCoOccurrences(
  sentences: readonly Sentence[],
  inSentences: readonly (readonly SubjectMention[])[],
  isWanted: (subject: Subject) => boolean,
): CoOccurrence[] {
  const occurrences = new Map<Subject, number>();
  const pairs = createPairCounts();
  let total = 0;
  for (const [place, placed] of inSentences.entries()) {
    const present = [...new Set(placed.map(({ subject }) => subject))]
      .filter(isWanted)
      .slice(0, MAX_SUBJECTS_PER_SENTENCE);
    if (present.length === 0 || sentences[place]?.style === 'title') continue;
    total++;
    for (const subject of present) occurrences.set(subject, (occurrences.get(subject) ?? 0) + 1);
    pairs.count(present, place);
  }
  const coOccurrences = pairs.all().map(({ first, second, count, sentences: places }) => ({
    first,
    second,
    weight: weigh(count, occurrences.get(first) ?? 1, occurrences.get(second) ?? 1, total),
    sentences: places,
  }));
  return keepStrongest(coOccurrences);
}

/** Counts the pairs of subjects; the first of each pair is the one that was counted earlier. */
function createPairCounts() {
  const order = new Map<Subject, number>();
  const pairs = new Map<string, Count>();
  return {
    count(present: readonly Subject[], sentence: number): void {
      const numbered = present.map((subject) => {
        const number = order.get(subject) ?? order.size;
        order.set(subject, number);
        return { subject, number };
      });
      numbered.sort((a, b) => a.number - b.number);
      for (const [at, first] of numbered.entries()) {
        for (const second of numbered.slice(at + 1)) {
          const key = `${first.number} ${second.number}`;
          const pair = pairs.get(key) ?? { first: first.subject, second: second.subject, count: 0, sentences: [] };
          pair.count++;
          if (pair.sentences.length < MAX_SENTENCES) pair.sentences.push(sentence);
          pairs.set(key, pair);
        }
      }
    },
    all: (): Count[] => [...pairs.values()],
  };
}

/** NPMI, reduced if it is based on few sentences. */
function weigh(count: number, first: number, second: number, total: number): number {
  const both = count / total;
  const mutual = Math.log(both / ((first / total) * (second / total)));
  const normalized = both >= 1 ? 1 : mutual / -Math.log(both);
  return Math.round(Math.max(0.05, Math.min(1, normalized)) * (count / (count + 1)) * 1000) / 1000;
}

function keepStrongest(all: readonly CoOccurrence[]): CoOccurrence[] {
  const kept = new Map<Subject, number>();
  const sorted = all.toSorted((a, b) => b.weight - a.weight || b.sentences.length - a.sentences.length);
  return sorted.filter(({ first, second }) => {
    const [ofFirst, ofSecond] = [kept.get(first) ?? 0, kept.get(second) ?? 0];
    if (ofFirst >= MAX_PER_SUBJECT && ofSecond >= MAX_PER_SUBJECT) return false;
    if (Math.max(ofFirst, ofSecond) >= MAX_PER_SUBJECT * 4) return false;
    kept.set(first, ofFirst + 1);
    kept.set(second, ofSecond + 1);
    return true;
  });
}
