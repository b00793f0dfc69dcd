/** A query with the marks in it understood. */
export interface ReadQuery {
  /** What to look for: the words without the marks, and without what is excluded. */
  readonly text: string;
  /** What stood in quotation marks. */
  readonly phrases: readonly string[];
  /** What `-` stood before: words, and phrases in quotation marks. */
  readonly excluded: readonly string[];
  /** It asks a question, in which quotation marks may only name things. */
  readonly isQuestion: boolean;
}

/** With more marks than this it is text that happens to have them. */
const MOST_MARKS = 16;

/**
 * `"exact words"`, `-word` and `-"exact words"`, each at the beginning or after a space or bracket. Everything else is
 * text: a quotation mark without its partner, a hyphen by itself, before a digit (`-5`) or a single letter (`tar -x`),
 * doubled (`--flag`), inside a word, or for a part that is left out (`Haupt- und -nebenfach`).
 */
export function readQuery(query: string): ReadQuery {
  const isQuestion = /[?？؟]["”“»)\]\s]*$/u.test(query);
  const phrases: string[] = [];
  const excluded: string[] = [];
  const text = query.replaceAll(MARK, (whole, hyphen: string, ...said: (string | undefined)[]) => {
    const words = (said[0] ?? said[1] ?? said[2] ?? '').trim();
    if (!/[\p{L}\p{N}]/u.test(words)) return whole;
    (hyphen === '' ? phrases : excluded).push(words);
    return hyphen === '' ? words : '';
  });
  const marks = phrases.length + excluded.length;
  if (marks === 0 || marks > MOST_MARKS) return { text: query, phrases: [], excluded: [], isQuestion };
  return {
    text: text.replaceAll(/\s+/g, ' ').trim(),
    phrases: unique(phrases),
    excluded: unique(excluded),
    isQuestion,
  };
}

// Opening marks; then a phrase in straight or in curled quotation marks, or after a hyphen a word.
const MARK =
  /(?<=^|\s|(?<![\p{L}\p{N}_])[([{])(-?)(?:"([^"\n]{1,300})"(?![\p{L}\p{N}])|[“„”]([^“”„"\n]{1,300})[”“](?![\p{L}\p{N}])|(?<=-)(?<!(?:^|\s)(?:und|oder|bzw\.?|sowie|and|or|en|of|och|og|eller|&)\s{1,3}-)([\p{L}_][\p{L}\p{M}\p{N}_]+(?:[-.'’][\p{L}\p{M}\p{N}_]+)*))/giu;

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
