import { splitSentences } from '../documents/sentences.ts';
import type { ReadDocument } from './readers/reader.ts';

const MAX_SUMMARY = 700;
const MAX_SENTENCE = 300;
const MAX_HEADINGS = 12;
/** Sentences of the beginning that are weighed; what a document is about is said early. */
const WEIGHED = 60;

/**
 * What a document is about, in its own words: its title, its first sentence and the most telling other one, and what its
 * sections are called. Made without a model; null when it holds no sentence to quote.
 */
export function describeDocument({
  text,
  blocks,
  title,
}: Pick<ReadDocument, 'text' | 'blocks' | 'title'>): string | null {
  const headings = blocks
    .filter(({ kind }) => kind === 'heading')
    .map(({ label, start, end }) => label ?? text.slice(start, end));
  const sentences = leadSentences(text, blocks);
  const [first] = sentences;
  if (first === undefined) return null;
  const telling = mostTelling(sentences.slice(1), [...headings, title ?? ''].join(' '), text.slice(0, 50_000));
  const name = title !== undefined && !first.includes(title) ? [`${title.replace(/[.:]$/, '')}:`] : [];
  const sections = [...new Set(headings.map(oneLine))]
    .filter((heading) => heading !== '' && heading !== title && heading.length <= 80)
    .slice(0, MAX_HEADINGS);
  const parts = [
    ...name,
    shorten(first, MAX_SENTENCE),
    ...(telling === undefined ? [] : [shorten(telling, MAX_SENTENCE)]),
  ];
  if (sections.length > 1) parts.push(`Sections: ${sections.join('; ')}.`);
  return shorten(parts.join(' '), MAX_SUMMARY);
}

function leadSentences(text: string, blocks: ReadDocument['blocks']): string[] {
  const sentences: string[] = [];
  const prose = blocks.filter(({ kind, start, end }) => kind === 'paragraph' && end - start >= 60);
  const read = prose.length > 0 ? prose : blocks.filter(({ kind }) => kind !== 'heading');
  for (const block of read) {
    // A table or a listing of a million lines is not read for its first one.
    const part = text.slice(block.start, Math.min(block.end, block.start + 4_000));
    for (const { start, end } of splitSentences(part)) sentences.push(oneLine(part.slice(start, end)));
    if (sentences.length >= WEIGHED) break;
  }
  const said = sentences.filter((sentence) => /\p{L}{2}/u.test(sentence));
  const whole = said.filter((sentence) => sentence.length >= 40);
  return (whole.length > 0 ? whole : said).slice(0, WEIGHED);
}

/** The sentence whose words occur most in the headings and the text; long sentences do not win by length. */
function mostTelling(sentences: readonly string[], headings: string, text: string): string | undefined {
  const counts = new Map<string, number>();
  const count = (words: readonly string[], weight: number) => {
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  count(wordsOf(text), 1);
  count(wordsOf(headings), 5);
  let best: { sentence: string; score: number } | undefined;
  for (const sentence of sentences) {
    const words = new Set(wordsOf(sentence));
    if (words.size < 4 || sentence.length > 2 * MAX_SENTENCE) continue;
    const score =
      [...words].reduce((sum, word) => sum + Math.log1p(counts.get(word) ?? 0), 0) / Math.sqrt(words.size + 8);
    if (best === undefined || score > best.score) best = { sentence, score };
  }
  return best?.sentence;
}

/** Words of five letters and more: short ones are mostly grammar. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}]{5,}/gu) ?? [];

const oneLine = (text: string): string =>
  text
    .replace(/^[#>\s|*-]+/, '')
    .replace(/\s+/g, ' ')
    .trim();

function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1);
  return `${cut.slice(0, cut.lastIndexOf(' ') > length / 2 ? cut.lastIndexOf(' ') : cut.length).toWellFormed()}…`;
}
