import { oneLine } from '../shared/text.ts';

/** A parsed query. */
export interface ReadQuery {
  /** The text without operators and excluded words. */
  readonly text: string;
  /** Quoted phrases. */
  readonly phrases: readonly string[];
  /** Words, and quoted phrases, preceded by `-`. */
  readonly excluded: readonly string[];
  /** Whether the query is a question, in which quotation marks may merely mark a name. */
  readonly isQuestion: boolean;
}

/** A query with more operators is pasted text. */
const MAX_MARKS = 16;

/**
 * Parses `"exact words"`, `-word` and `-"exact words"`, each at the beginning or after a space or bracket. Everything
 * else is text: an unpaired quotation mark, a lone hyphen, one before a digit (`-5`) or a single letter (`tar -x`),
 * doubled (`--flag`), inside a word, or as a suspended hyphen (`Haupt- und -nebenfach`).
 */
export function readQuery(query: string): ReadQuery {
  const isQuestion = /[?？؟]["”“»)\]\s]*$/u.test(query);
  const phrases: string[] = [];
  const excluded: string[] = [];
  const text = query.replaceAll(MARK, (whole, hyphen: string, ...groups: (string | undefined)[]) => {
    const words = (groups[0] ?? groups[1] ?? groups[2] ?? '').trim();
    if (!/[\p{L}\p{N}]/u.test(words)) return whole;
    (hyphen === '' ? phrases : excluded).push(words);
    return hyphen === '' ? words : '';
  });
  const marks = phrases.length + excluded.length;
  if (marks === 0 || marks > MAX_MARKS) return { text: query, phrases: [], excluded: [], isQuestion };
  return {
    text: oneLine(text),
    phrases: unique(phrases),
    excluded: unique(excluded),
    isQuestion,
  };
}

// After a space or bracket: a phrase in straight or curly quotation marks, or a word after a hyphen.
const MARK =
  /(?<=^|\s|(?<![\p{L}\p{N}_])[([{])(-?)(?:"([^"\n]{1,300})"(?![\p{L}\p{N}])|[“„”]([^“”„"\n]{1,300})[”“](?![\p{L}\p{N}])|(?<=-)(?<!(?:^|\s)(?:und|oder|bzw\.?|sowie|and|or|en|of|och|og|eller|&)\s{1,3}-)([\p{L}_][\p{L}\p{M}\p{N}_]+(?:[-.'’][\p{L}\p{M}\p{N}_]+)*))/giu;

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
