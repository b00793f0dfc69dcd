import { splitSentences } from '../documents/sentences.ts';
import type { ReadDocument } from './readers/reader.ts';

const MAX_SUMMARY = 700;
const MAX_SENTENCE = 300;
const MAX_HEADINGS = 12;
/** Maximum characters for the list of section names, which follows the sentences. */
const MAX_SECTIONS = 240;
/** Number of sentences from the beginning that are scored, since documents state their subject early. */
const MAX_CANDIDATES = 120;
/** Number of sentences quoted besides the first. */
const MAX_KEY_SENTENCES = 3;

/**
 * An extractive summary: the title, the first sentence, the most informative other sentences, and the names of the
 * sections. Needs no model; null when the document contains no sentence to quote.
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
  const name = title !== undefined && !first.includes(title) ? [`${title.replace(/[.:]$/, '')}:`] : [];
  const lead = [...name, shorten(first, MAX_SENTENCE)].join(' ');
  const names = sectionNames(headings, title);
  const available = MAX_SUMMARY - lead.length - names.length - 2;
  const others = keySentences(sentences, [...headings, title ?? ''].join(' '), {
    text: text.slice(0, 50_000),
    available,
  });
  return shorten([lead, ...others, names].filter(Boolean).join(' '), MAX_SUMMARY);
}

/** Headings that so many documents have that they distinguish none of them. */
const GENERIC_HEADING =
  /^[\divx.)\s]*(?:abstract|contents|table of contents|references|bibliography|acknowledge?ments?|see also|external links|notes|footnotes|index|appendix|inhalt(?:sverzeichnis)?|literatur|sommaire|目录|目次|参考文献)\W*$/iu;

function sectionNames(headings: readonly string[], title: string | undefined): string {
  const names = [...new Set(headings.map(withoutMarkup))].filter(
    (heading) =>
      heading !== '' &&
      heading !== title &&
      heading.length <= 80 &&
      !GENERIC_HEADING.test(heading) &&
      !/\S@\S/.test(heading),
  );
  if (names.length < 2) return '';
  let shown = '';
  for (const name of names.slice(0, MAX_HEADINGS)) {
    const longer = shown === '' ? name : `${shown}; ${name}`;
    if (longer.length > MAX_SECTIONS) break;
    shown = longer;
  }
  return `Sections: ${shown}.`;
}

function leadSentences(text: string, blocks: ReadDocument['blocks']): string[] {
  const sentences: string[] = [];
  const prose = blocks.filter(({ kind, start, end }) => kind === 'paragraph' && end - start >= 60);
  const read = prose.length > 0 ? prose : blocks.filter(({ kind }) => kind !== 'heading');
  for (const block of read) {
    // Only the beginning of a block, because a table or a listing may have a million lines.
    const part = text.slice(block.start, Math.min(block.end, block.start + 4_000));
    for (const { start, end } of splitSentences(part)) sentences.push(withoutMarkup(part.slice(start, end)));
    if (sentences.length >= MAX_CANDIDATES) break;
  }
  const withWords = sentences.filter((sentence) => /\p{L}{2}/u.test(sentence));
  const own = withWords.filter((sentence) => !BOILERPLATE.test(sentence));
  const whole = own.filter((sentence) => sentence.length >= (UNSPACED.test(sentence) ? 12 : 40));
  const best = [whole, own, withWords].find((some) => some.length > 0) ?? [];
  return best.slice(0, MAX_CANDIDATES);
}

/** Boilerplate sentences, which say nothing about the subject. */
const BOILERPLATE =
  /all rights reserved|©|\bcopyright\b|\bcookies?\b|privacy policy|terms of (?:use|service)|subscribe|sign (?:in|up) |log in |click here|skip to (?:main )?content|forward-looking statements?|indicate by check ?mark|pursuant to section|accelerated filer|for more information|see the (?:section|definitions?)|licen[sc]ed under|without warrant|no part of this|isbn[ :]|doi:|alle rechte vorbehalten|datenschutzerklärung|impressum|tous droits réservés|版权所有|保留所有权利/iu;

const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u;

/**
 * The sentences with the words most frequent in the headings and the text; each adds words that those chosen before it
 * lack.
 */
function keySentences(
  sentences: readonly string[],
  headings: string,
  { text, available }: { readonly text: string; readonly available: number },
): string[] {
  const counts = new Map<string, number>();
  const count = (words: readonly string[], weight: number) => {
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  count(wordsOf(text), 1);
  count(wordsOf(headings), 5);
  const covered = new Set(wordsOf(sentences[0] ?? ''));
  const left = sentences
    .slice(1)
    .map((sentence, index) => ({ sentence, place: index, words: [...new Set(wordsOf(sentence))] }));
  const chosen: (typeof left)[number][] = [];
  for (let spare = available; chosen.length < MAX_KEY_SENTENCES && spare > 60; ) {
    let best: { readonly each: (typeof left)[number]; readonly score: number } | undefined;
    for (const each of left) {
      const { sentence, words } = each;
      if (
        words.length < 4 ||
        sentence.length > 2 * MAX_SENTENCE ||
        shownLength(sentence) > spare ||
        chosen.includes(each)
      )
        continue;
      const newWords = words.filter((word) => !covered.has(word));
      const sum = newWords.reduce((total, word) => total + Math.log1p(counts.get(word) ?? 0), 0);
      // Normalises by length, so that long sentences are not preferred.
      const score = sum / Math.sqrt(words.length + 8);
      if (best === undefined || score > best.score) best = { each, score };
    }
    if (best === undefined || best.score <= 0) break;
    chosen.push(best.each);
    for (const word of best.each.words) covered.add(word);
    spare -= shownLength(best.each.sentence) + 1;
  }
  return chosen.sort((one, two) => one.place - two.place).map(({ sentence }) => shorten(sentence, MAX_SENTENCE));
}

const shownLength = (sentence: string): number => Math.min(sentence.length, MAX_SENTENCE);

/**
 * Words of five letters and more, since short ones are mostly function words; for scripts without spaces, bigrams of
 * characters.
 */
const wordsOf = (text: string): string[] =>
  (
    text
      .toLowerCase()
      .match(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]+|[[\p{L}\p{M}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]]{5,}/gv) ?? []
  ).flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : [word]));

const pairsOf = (word: string): string[] =>
  word.length <= 2 ? [word] : Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));

/** Removes list markers, Markdown markup and footnote numbers. */
const withoutMarkup = (text: string): string =>
  text
    .replace(/^[#>\s|*-]+/, '')
    .replaceAll(/!?\[([^\]]{0,300})\]\([^)\s]{0,500}(?:\s"[^"]{0,200}")?\)/g, '$1')
    .replaceAll(/\[\d{1,3}\]/g, '')
    .replaceAll(/(\*\*|__|`)(?=\S)([^*_`]{1,200})\1/g, '$2')
    .replaceAll('**', '')
    .replace(/\s+/g, ' ')
    .trim();

function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1);
  return `${cut.slice(0, cut.lastIndexOf(' ') > length / 2 ? cut.lastIndexOf(' ') : cut.length).toWellFormed()}…`;
}
