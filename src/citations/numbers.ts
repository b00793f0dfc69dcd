const DIGITS = /\d+(?:[.,:]\d+)*/g;

const SMALL = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const TEENS = ['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'];
const TENS = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
/** "One" is missing, since it is more often a pronoun. */
const VALUES = new Map([
  ...[...SMALL, ...TEENS].map((word, index) => [word, index + 2] as const),
  ...TENS.map((word, index) => [word, (index + 2) * 10] as const),
]);
const ONES = ['one', ...SMALL.slice(0, 8)];
// A number word before one of a larger unit ("sixty thousand") is only a part of its number.
const WORDS = new RegExp(
  `\\b(?:(${TENS.join('|')})(?:[- ](${ONES.join('|')}))?|(${[...TEENS, ...SMALL].join('|')}))\\b(?![- ](?:hundred|thousand|million|billion)s?\\b)`,
  'gi',
);
/** Up to twelve, words count what the writer of a statement has in view ("two reasons"), and the source need not say. */
const MAX_OWN_COUNT = 12;

/** The numbers of a source, in digits: those in digits as they are written, and English number words from two to 99. */
export function numbersOf(text: string): ReadonlySet<string> {
  return new Set([...(text.match(DIGITS) ?? []), ...wordNumbers(text).map(String)]);
}

/** The numbers of a statement without which a source does not support it. */
export function requiredNumbers(statement: string): readonly string[] {
  const words = wordNumbers(statement).filter((value) => value > MAX_OWN_COUNT);
  return [...(statement.match(DIGITS) ?? []), ...words.map(String)];
}

function wordNumbers(text: string): number[] {
  return [...text.matchAll(WORDS)].map(([, tens, ones, single = '']) =>
    tens === undefined
      ? (VALUES.get(single.toLowerCase()) ?? 0)
      : (VALUES.get(tens.toLowerCase()) ?? 0) + ONES.indexOf((ones ?? '').toLowerCase()) + 1,
  );
}

/** The numbers from none to twelve by which texts count, as words or in digits. */
const COUNTS: ReadonlyMap<string, number> = new Map([
  ['no', 0],
  ['zero', 0],
  ['one', 1],
  ['single', 1],
  ...SMALL.map((word, index) => [word, index + 2] as const),
  ...[
    'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
    'deux trois quatre cinq six sept huit - dix onze douze',
    'dos tres cuatro cinco seis siete ocho nueve diez - doce',
    'twee drie vier vijf zes zeven acht negen tien elf twaalf',
  ].flatMap((words) => words.split(' ').map((word, index) => [word, index + 2] as const)),
  ...Array.from({ length: MAX_OWN_COUNT + 1 }, (_, value) => [String(value), value] as const),
]);

/** The value of a word that counts what follows; undefined for other words, and for parts of larger numbers. */
export const countOf = (word: string, before: string): number | undefined =>
  TENS.includes(before.toLowerCase()) ? undefined : COUNTS.get(word.toLowerCase());
