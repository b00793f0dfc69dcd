import { splitSentences } from '../../documents/sentences.ts';
import type { EnglishTagger } from './english-tagger.ts';
import type { GraphLanguage } from './language.ts';
import { maskNonLanguage } from './mask.ts';
import { type Token, tokenize } from './tokens.ts';

export interface Sentence {
  /** Index of its chunk in the document. */
  readonly chunkIndex: number;
  readonly start: number;
  readonly end: number;
  readonly tokens: readonly Token[];
  /** Capitals carry no information in a `title`; `cells` of a table do not form a sentence. */
  readonly style: 'prose' | 'title' | 'cells';
}

/** Maximum number of sentences read per chunk. */
const MAX_SENTENCES = 400;

/** The sentences of one chunk that are natural language, tokenised. */
export function readSentences(
  text: string,
  chunkIndex: number,
  language: GraphLanguage,
  tagger: EnglishTagger | undefined,
): Sentence[] {
  const masked = maskNonLanguage(text);
  const sentences: Sentence[] = [];
  for (const { start, end } of splitSentences(masked).slice(0, MAX_SENTENCES)) {
    const sentence = masked.slice(start, end);
    const plain = tokenize(sentence, start, language);
    if (!plain.some(({ kind }) => kind === 'word')) continue;
    const style = styleOf(sentence, plain);
    const tokens = tagger && style !== 'cells' ? tagger.tag(sentence, start, plain) : plain;
    sentences.push({ chunkIndex, start, end, tokens, style });
  }
  return sentences;
}

function styleOf(sentence: string, tokens: readonly Token[]): Sentence['style'] {
  if (/^\||\|.*\||\S\t/.test(sentence)) return 'cells';
  if (/^#{1,6}\s/.test(sentence)) return 'title';
  const words = tokens.filter(({ kind, isCommon }) => kind === 'word' && !isCommon);
  const capitals = words.filter(({ isCapital }) => isCapital).length;
  const allCaps = words.filter(
    ({ text }) => text.length > 1 && text === text.toUpperCase() && /\p{Lu}/u.test(text),
  ).length;
  if (words.length >= 4 && allCaps > words.length * 0.6) return 'title';
  const isEnded = /[.!?…。！？][\s"'”’»)\]]*$/u.test(sentence);
  return !isEnded && sentence.length < 120 && capitals >= words.length * 0.7 && words.length > 0 ? 'title' : 'prose';
}
