import { splitSentences } from '../documents/sentences.ts';
import type { Span } from './citation.ts';
import { readMarker } from './marker.ts';
import { isStatement } from './unsupported-sentences.ts';

/** What an answer states at one place, with the markers put to it. */
export interface Statement extends Span {
  /** Without markers and markup. */
  readonly text: string;
  /** Numbers of its markers, each once. */
  readonly markers: readonly number[];
}

interface Marker extends Span {
  readonly numbers: readonly number[];
}

// As long a bracket as the scanner of answers takes for a marker. A link's address goes with it.
const BRACKET = /[[【［][^[\]【】［］\n]{1,62}[\]】］](?:\([^()\s]{1,2000}\))?/g;
// Below this, what stands between two markers ("and", ", in 1889") is no statement of its own.
const MIN_CLAUSE_LENGTH = 16;
const FENCED = /^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[^\n]*$|(?![\s\S]))/gm;
/** `Sources:` and what follows, or the notes that some Markdown puts below: names of sources, and no statements. */
const SOURCE_LIST =
  /^[ \t]*(?:#{1,6}[ \t]*)?(?:\*\*|__)?(?:sources?|references?|citations?|footnotes|quellen|belege|fuentes|referencias|références|fonti|bronnen|fontes|источники|来源|参考资料|出典|출처)(?:\*\*|__)?[ \t]*[:：]?(?:\*\*|__)?[ \t]*$/imu;
const NOTE = /^[ \t]*\[\^?\d{1,3}\]:.*$/gm;

/**
 * The statements of an answer in order: each sentence, or each part of one that has markers of its own. Code and the list
 * of sources at the end are left out, and so is what neither cites nor quotes nor states anything.
 */
export function readStatements(answer: string): Statement[] {
  const prose = withoutSourceList(answer.replace(FENCED, blank).replace(NOTE, blank));
  const markers = markersIn(prose);
  const plain = blankSpans(prose, markers);
  const sentences = wholeQuotations(plain, splitSentences(plain));
  return sentences.flatMap((sentence, index) => {
    // Markers may follow the full stop: "It is so. [1]" belongs to the sentence before.
    const next = sentences[index + 1]?.start ?? prose.length;
    const own = markers.filter(({ start }) => start >= sentence.start && start < next);
    return partsOf(plain, sentence, own);
  });
}

// A quotation that is never closed must not swallow the rest of the answer.
const LONGEST_QUOTATION = 2_000;

/** Joins the sentences of one quotation, which is checked as a whole. */
function wholeQuotations(text: string, sentences: readonly Span[]): Span[] {
  const joined: Span[] = [];
  let open: Span | undefined;
  for (const sentence of sentences) {
    const span: Span = open === undefined ? sentence : { start: open.start, end: sentence.end };
    const isParagraph = open === undefined || !/\n\s*\n/.test(text.slice(open.end, sentence.start));
    if (open !== undefined && (!isParagraph || span.end - span.start > LONGEST_QUOTATION)) {
      joined.push(open);
      open = isInQuotation(text.slice(sentence.start, sentence.end)) ? sentence : undefined;
      if (open === undefined) joined.push(sentence);
    } else if (isInQuotation(text.slice(span.start, span.end))) open = span;
    else {
      joined.push(span);
      open = undefined;
    }
  }
  return open === undefined ? joined : [...joined, open];
}

/** Whether a quotation that begins in the text does not end in it. */
function isInQuotation(text: string): boolean {
  const count = (mark: RegExp) => text.match(mark)?.length ?? 0;
  // `„…“` and `“…”` share a mark, so that the two are counted together.
  return count(/"/g) % 2 === 1 || count(/[“”„]/g) % 2 === 1 || count(/«/g) > count(/»/g) || count(/「/g) > count(/」/g);
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

function withoutSourceList(text: string): string {
  const at = SOURCE_LIST.exec(text)?.index;
  return at === undefined ? text : text.slice(0, at) + blank(text.slice(at));
}

function markersIn(text: string): Marker[] {
  return [...text.matchAll(BRACKET)].flatMap(({ 0: whole, index }) => {
    const numbers = readMarker(whole.replace(/\([^()]*\)$/, ''));
    // "list[0]" is an index: no source is numbered 0.
    return numbers === undefined || numbers.includes(0) ? [] : [{ start: index, end: index + whole.length, numbers }];
  });
}

function blankSpans(text: string, spans: readonly Span[]): string {
  let plain = '';
  let done = 0;
  for (const { start, end } of spans) {
    plain += text.slice(done, start) + ' '.repeat(end - start);
    done = end;
  }
  return plain + text.slice(done);
}

/** A sentence cut behind each group of markers; a part that says too little by itself is put as the whole sentence. */
function partsOf(plain: string, sentence: Span, markers: readonly Marker[]): Statement[] {
  const whole = wordsOf(plain, sentence);
  const parts: Statement[] = [];
  let from = sentence.start;
  for (const group of groupsOf(plain, markers)) {
    const end = Math.min(sentence.end, group.start);
    const clause = wordsOf(plain, { start: from, end });
    const isOwn = clause.text.length >= MIN_CLAUSE_LENGTH;
    const said = isOwn ? clause : whole;
    if (/[\p{L}\p{N}]/u.test(said.text)) parts.push({ ...said, markers: group.numbers });
    from = group.end;
  }
  const rest = wordsOf(plain, { start: from, end: sentence.end });
  if (isStatement(rest.text)) parts.push({ ...rest, markers: [] });
  return parts;
}

interface MarkerGroup extends Span {
  readonly numbers: readonly number[];
}

/** Markers with nothing but spaces and commas between them stand for one statement. */
function groupsOf(plain: string, markers: readonly Marker[]): MarkerGroup[] {
  const groups: MarkerGroup[] = [];
  for (const marker of markers) {
    const last = groups.at(-1);
    if (last !== undefined && /^[\s,;]*$/.test(plain.slice(last.end, marker.start))) {
      groups[groups.length - 1] = {
        start: last.start,
        end: marker.end,
        numbers: [...new Set([...last.numbers, ...marker.numbers])],
      };
    } else groups.push({ start: marker.start, end: marker.end, numbers: marker.numbers });
  }
  return groups;
}

// Signs of a list, heading or quotation in Markdown, and what joins a part to the one before it.
const BEFORE = /^(?:[\s>|]+|[-*+•]\s+|\d{1,3}[.)]\s+|#{1,6}\s+|[,;:–—]\s*)+/;

function wordsOf(plain: string, { start, end }: Span): Omit<Statement, 'markers'> {
  const raw = plain.slice(start, Math.max(start, end));
  const before = BEFORE.exec(raw)?.[0].length ?? 0;
  const kept = raw.slice(before).trimEnd();
  const text = kept
    .replace(/\*\*|__|(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])|`/gu, '')
    .replace(/\s+([.,;:!?])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return { start: start + before, end: start + before + kept.length, text };
}
