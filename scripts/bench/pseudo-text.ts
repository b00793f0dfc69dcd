import { seededRandom } from '../seeded-random.ts';

/** Generated text with the statistics of real text: Zipf vocabulary, topics, sentences, paragraphs. */
export interface PseudoText {
  document(number: number): PseudoDocument;
  /** A typical query for a topic. */
  query(number: number): string;
}

export interface PseudoDocument {
  readonly title: string;
  /** Paragraphs of about 800 characters: one chunk each. */
  readonly paragraphs: readonly string[];
}

const VOCABULARY = 30_000;
const TOPICS = 400;
const WORDS_PER_TOPIC = 150;
/** Each document repeats a few words that are specific to it. */
const WORDS_PER_DOCUMENT = 12;
const PARAGRAPH_LENGTH = 800;

const FUNCTION_WORDS =
  'the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so said what up its about into than them can only other time new some could these two may first then do'.split(
    ' ',
  );
const SYLLABLES = [
  'ba',
  'ce',
  'di',
  'fo',
  'gu',
  'ha',
  'je',
  'ki',
  'lo',
  'mu',
  'na',
  'pe',
  'ri',
  'so',
  'tu',
  'va',
  'we',
  'xi',
  'yo',
  'bran',
  'cler',
  'drim',
  'flot',
  'grun',
  'plas',
  'pred',
  'quil',
  'scor',
  'spun',
  'stan',
  'tren',
  'vist',
  'thor',
  'al',
  'en',
  'ir',
  'or',
  'um',
  'an',
  'el',
  'it',
  'on',
  'ur',
];
const ENDINGS = ['', '', '', 's', 'ed', 'ing', 'er', 'tion', 'al', 'ly'];

export function createPseudoText(seed: number): PseudoText {
  const vocabulary = makeVocabulary(seed);
  const zipf = zipfPlaces(VOCABULARY);
  const functionPlaces = zipfPlaces(FUNCTION_WORDS.length);
  const inTopic = zipfPlaces(WORDS_PER_TOPIC);
  const topics = Array.from({ length: TOPICS }, (_, topic) => {
    const random = seededRandom(seed + 7_919 * (topic + 1));
    return Array.from({ length: WORDS_PER_TOPIC }, () => vocabulary[random.integer(200, VOCABULARY - 1)] ?? '');
  });
  const topicOf = (number: number): readonly string[] => topics[(number * 2_654_435) % TOPICS] ?? [];

  return {
    document(number) {
      const random = seededRandom(seed ^ Math.imul(number + 1, 0x9e3779b1));
      const topic = topicOf(number);
      const own = Array.from({ length: WORDS_PER_DOCUMENT }, () => vocabulary[zipf(random.next())] ?? '');
      const word = (): string => {
        const dice = random.next();
        if (dice < 0.42) return FUNCTION_WORDS[functionPlaces(random.next())] ?? '';
        if (dice < 0.65) return topic[inTopic(random.next())] ?? '';
        if (dice < 0.72) return own[random.integer(0, own.length - 1)] ?? '';
        return vocabulary[zipf(random.next())] ?? '';
      };
      const sentence = (): string => {
        const words = Array.from({ length: random.integer(7, 22) }, word).join(' ');
        return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
      };
      const paragraph = (): string => {
        let text = sentence();
        while (text.length < PARAGRAPH_LENGTH - 60) text += ` ${sentence()}`;
        return text;
      };
      const title = [topic[0], own[0], own[1]].join(' ');
      return { title, paragraphs: Array.from({ length: random.integer(8, 12) }, paragraph) };
    },
    query(number) {
      const random = seededRandom(seed ^ Math.imul(number + 1, 0x85ebca6b));
      const topic = topicOf(random.integer(0, 100_000));
      const words = Array.from({ length: random.integer(2, 5) }, () => topic[inTopic(random.next())] ?? '');
      if (random.chance(0.5)) words.push(vocabulary[zipf(random.next())] ?? '');
      return random.chance(0.4) ? `what is the ${words.join(' of the ')}` : words.join(' ');
    },
  };
}

function makeVocabulary(seed: number): string[] {
  const random = seededRandom(seed);
  const words = new Set<string>();
  while (words.size < VOCABULARY) {
    const syllables = Array.from({ length: random.integer(2, 3) }, () => random.pick(['', ...SYLLABLES]));
    const word = syllables.join('') + random.pick(['', ...ENDINGS]);
    if (word.length > 3) words.add(word);
  }
  return [...words];
}

/** Maps a uniform random number to a rank by Zipf's law: rank n has frequency 1/n. */
function zipfPlaces(count: number): (chance: number) => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let index = 0; index < count; index++) {
    sum += 1 / (index + 2.7);
    sums[index] = sum;
  }
  return (chance) => {
    const wanted = chance * sum;
    let low = 0;
    let high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
