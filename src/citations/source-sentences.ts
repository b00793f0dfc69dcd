import { splitSentences } from '../documents/sentences.ts';
import { once } from '../shared/once.ts';
import { numbersOf } from './numbers.ts';
import { type Subject, splitClauses, subjectOf } from './subjects.ts';
import type { TextAnalyser } from './text-analyser.ts';
import { type Token, tokensOf } from './tokens.ts';
import { type Word, wordsOf } from './words.ts';

/** A sentence, list item or table row of a source. Its analyses are made once, and only when needed. */
export interface SourceSentence {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  /** Terms of what it stands below: title, headings, the names of its columns, the line that introduces its list. */
  readonly context: ReadonlySet<string>;
  /** Number of the sentence of which this is a clause. */
  readonly sentence: number;
  readonly isRow: boolean;
  /** The first row of its table, if this is a further one. */
  readonly header: string | undefined;
  readonly numbers: () => ReadonlySet<string>;
  readonly words: () => readonly Word[];
  readonly subject: () => Subject;
  readonly tokens: () => readonly Token[];
}

export interface SourceSentences {
  /** Sentences, of which several clauses with their own subjects count as several. */
  readonly all: readonly SourceSentence[];
  /** Undivided sentences, by their numbers. */
  readonly whole: () => readonly SourceSentence[];
  /** Places of the sentences that have a term. */
  readonly placesOf: (term: string) => readonly number[];
}

const HEADING = /^\s{0,3}(#{1,6})\s/;
const ROW = /^\s*\||\t|\|.*\|/;
const RULE_OF_TABLE = /^[\s|:-]+$/;
const ITEM = /^\s*(?:[-*+•–]|\d{1,3}[.)])\s/;
const INTRODUCES = /[:：]\s*$/;
const ENDS = /[.!?。！？…:;,][\s"”’»*_)\]]*$/;
/** Longer lines without a full stop are text. */
const MAX_HEADING_WORDS = 9;

/** Splits a text into sentences, each with what it stands below. `titles` are the title and headings of the text itself. */
export function toSourceSentences(text: string, titles: string, analyser: TextAnalyser): SourceSentences {
  const termsOf = (piece: string): ReadonlySet<string> => new Set(analyser.analyse(piece));
  const title = termsOf(titles);
  const headings: (readonly [level: number, terms: ReadonlySet<string>])[] = [];
  let inherited = title;
  let columns: ReadonlySet<string> | undefined;
  let header: string | undefined;
  let introduction: ReadonlySet<string> | undefined;
  let context = inherited;
  const spans = splitSentences(text).flatMap((span, number) =>
    splitClauses(span, text, analyser).map((clause) => ({ ...clause, number })),
  );
  const places = new Map<string, number[]>();
  const all = spans.map(({ start, end, number }, place): SourceSentence => {
    const sentence = text.slice(start, end);
    const terms = termsOf(sentence);
    for (const term of terms) {
      const known = places.get(term);
      if (known === undefined) places.set(term, [place]);
      else known.push(place);
    }
    const isRow = ROW.test(sentence);
    const level = isRow ? undefined : headingLevel(sentence, text.slice(end, spans[place + 1]?.start ?? end));
    if (level !== undefined) {
      while ((headings.at(-1)?.[0] ?? 0) >= level) headings.pop();
      inherited = headings.reduce((all, [, each]) => all.union(each), title);
      headings.push([level, terms]);
    }
    if (!isRow) columns = header = undefined;
    if (!isRow && !ITEM.test(sentence)) introduction = undefined;
    context = [columns, introduction].reduce<ReadonlySet<string>>(
      (all, each) => (each ? all.union(each) : all),
      inherited,
    );
    if (level !== undefined) inherited = inherited.union(terms);
    const above = header;
    if (isRow && columns === undefined && !RULE_OF_TABLE.test(sentence)) [columns, header] = [terms, sentence];
    if (INTRODUCES.test(sentence)) introduction = terms;
    return {
      text: sentence,
      terms,
      context,
      sentence: number,
      isRow,
      header: above,
      numbers: once(() => numbersOf(sentence)),
      ...readWords(sentence),
      subject: once(() => subjectOf(sentence, analyser)),
    };
  });
  const whole = once(() => [...Map.groupBy(all.keys(), (place) => all[place]?.sentence).values()].map(joined));
  return { all, whole, placesOf: (term) => places.get(term) ?? [] };

  function readWords(sentence: string): Pick<SourceSentence, 'words' | 'tokens'> {
    const words = once(() => wordsOf(sentence, analyser));
    return { words, tokens: once(() => tokensOf(sentence, words())) };
  }

  /** The sentence of which these are the clauses. */
  function joined(clauses: readonly number[]): SourceSentence {
    const [first, last] = [clauses[0] ?? 0, clauses.at(-1) ?? 0];
    const [one, span] = [all[first], spans[first]];
    if (one === undefined || span === undefined) throw new RangeError('A sentence has at least one clause.');
    if (first === last) return one;
    const sentence = text.slice(span.start, spans[last]?.end);
    return { ...one, text: sentence, terms: termsOf(sentence), ...readWords(sentence) };
  }
}

/** Headings by their signs, and short lines of their own without a full stop, below all others. */
function headingLevel(sentence: string, gap: string): number | undefined {
  const signs = HEADING.exec(sentence)?.[1];
  if (signs !== undefined) return signs.length;
  const isAlone = gap.includes('\n') && !ENDS.test(sentence) && !ITEM.test(sentence);
  return isAlone && sentence.split(/\s+/, MAX_HEADING_WORDS + 1).length <= MAX_HEADING_WORDS ? LOWEST_LEVEL : undefined;
}

const LOWEST_LEVEL = 7;
