const SYLLABLES = ['ba', 'ko', 'du', 'fi', 'ga', 'lu', 'mo', 'na', 'po', 'ri'];
const TOPICS = 10;
const WORDS_PER_TOPIC = 12;
const CHUNKS_PER_TOPIC = 24;

/** A made-up word, distinct for each number, that no stemmer mistakes for English. */
function madeUp(number: number): string {
  return [...String(number).padStart(4, '0')].map((digit) => SYLLABLES[Number(digit)]).join('');
}

const wordsOf = (topic: number) => Array.from({ length: WORDS_PER_TOPIC }, (_, at) => madeUp(topic * 100 + at));

const rareNames = Array.from({ length: TOPICS }, (_, topic) => ({ word: madeUp(5_000 + topic), topic }));

const chunks = Array.from({ length: TOPICS * CHUNKS_PER_TOPIC }, (_, number) => {
  const topic = number % TOPICS;
  const turn = Math.floor(number / TOPICS);
  const some = wordsOf(topic).filter((_, at) => (at * 5 + turn * 7) % 3 !== 0);
  const rare = turn < 2 ? (rareNames[topic]?.word ?? '') : madeUp(9_000 + number);
  return { topic, text: [...some.slice(turn % 3), rare].join(' ') };
});

/**
 * A small corpus about ten subjects. Each has its own vocabulary, from which every text draws, and a rare name that
 * occurs in only two texts.
 */
export const subjects = {
  chunks,
  rareNames,
  words: Array.from({ length: TOPICS }, (_, topic) => wordsOf(topic)).flat(),
};
