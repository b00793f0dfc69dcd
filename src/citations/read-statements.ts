import { splitSentences } from '../documents/sentences.ts';
import { blank, checkedProse } from './checked-prose.ts';
import type { Span } from './citation.ts';
import { readMarker } from './marker.ts';
import { isShortClaim } from './short-claim.ts';
import { isStatement } from './unsupported-sentences.ts';

/** One statement of an answer with its markers. */
export interface Statement extends Span {
  /** Without markers and markup. */
  readonly text: string;
  /** Distinct marker numbers. */
  readonly markers: readonly number[];
}

interface Marker extends Span {
  readonly numbers: readonly number[];
}

// Same maximum length as in the marker scanner; includes the target of a Markdown link.
const BRACKET = /[[【［][^[\]【】［］\n]{1,62}[\]】］](?:\([^()\s]{1,2000}\))?/g;
// Shorter text between two markers ("and", ", in 1889") is not a statement of its own.
const MIN_CLAUSE_LENGTH = 16;
/** A list of sources at the end, headed `Sources:` or written as Markdown footnotes. */
const SOURCE_LIST =
  /^[ \t]*(?:#{1,6}[ \t]*)?(?:\*\*|__)?(?:sources?|references?|citations?|footnotes|quellen|belege|fuentes|referencias|références|fonti|bronnen|fontes|источники|来源|参考资料|出典|출처)(?:\*\*|__)?[ \t]*(?:(?:[:：](?:\*\*|__)?|\*\*|__)[ \t]*)?$/imu;
const NOTE = /^[ \t]*\[\^?\d{1,3}\]:.*$/gm;

/**
 * The statements of an answer in order: each sentence, or each part of one that has its own markers. Code, heads of
 * tables, displayed formulas, the source list at the end, and sentences without a citation, quotation or claim are left out.
 */
export function readStatements(answer: string): Statement[] {
  const prose = withoutSourceList(checkedProse(answer).replace(NOTE, blank));
  const markers = markersIn(prose);
  const plain = blankSpans(prose, markers);
  const sentences = joinQuotations(plain, splitSentences(plain));
  return sentences.flatMap((sentence, index) => {
    // Markers after the full stop belong to the sentence before: "It is so. [1]".
    const next = sentences[index + 1]?.start ?? prose.length;
    const own = markers.filter(({ start }) => start >= sentence.start && start < next);
    return partsOf(plain, sentence, own);
  });
}

// Limits the damage of an unclosed quotation mark.
const MAX_QUOTATION_LENGTH = 2_000;

/** Joins the sentences of a quotation, because it is checked as a whole. */
function joinQuotations(text: string, sentences: readonly Span[]): Span[] {
  const joined: Span[] = [];
  let open: Span | undefined;
  for (const sentence of sentences) {
    const span: Span = open === undefined ? sentence : { start: open.start, end: sentence.end };
    const isParagraph = open === undefined || !/\n\s*\n/.test(text.slice(open.end, sentence.start));
    if (open !== undefined && (!isParagraph || span.end - span.start > MAX_QUOTATION_LENGTH)) {
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

/** Whether the text ends inside a quotation. */
function isInQuotation(text: string): boolean {
  const count = (mark: RegExp) => text.match(mark)?.length ?? 0;
  // `„…“` and `“…”` share a character, so both are counted together.
  return count(/"/g) % 2 === 1 || count(/[“”„]/g) % 2 === 1 || count(/«/g) > count(/»/g) || count(/「/g) > count(/」/g);
}

function withoutSourceList(text: string): string {
  const at = SOURCE_LIST.exec(text)?.index;
  return at === undefined ? text : text.slice(0, at) + blank(text.slice(at));
}

function markersIn(text: string): Marker[] {
  return [...text.matchAll(BRACKET)].flatMap(({ 0: whole, index }) => {
    const numbers = readMarker(whole.replace(/\([^()]*\)$/, ''));
    // "list[0]" is an array index: no source has the number 0.
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

/** Splits a sentence after each group of markers; a part that is too short is represented by the whole sentence. */
function partsOf(plain: string, sentence: Span, markers: readonly Marker[]): Statement[] {
  const whole = wordsOf(plain, sentence);
  const parts: Statement[] = [];
  let from = sentence.start;
  for (const group of groupsOf(plain, markers)) {
    const end = Math.min(sentence.end, group.start);
    const clause = wordsOf(plain, { start: from, end });
    const isOwn = clause.text.length >= MIN_CLAUSE_LENGTH;
    const statementText = isOwn ? clause : whole;
    if (/[\p{L}\p{N}]/u.test(statementText.text)) parts.push({ ...statementText, markers: group.numbers });
    from = group.end;
  }
  const rest = wordsOf(plain, { start: from, end: sentence.end });
  const raw = plain.slice(sentence.start, sentence.end);
  const isWhole = parts.length === 0;
  if (!/^#{1,6}\s/.test(raw) && (isStatement(rest.text) || (isWhole && isShortClaim(raw))))
    parts.push({ ...rest, markers: [] });
  return parts;
}

interface MarkerGroup extends Span {
  readonly numbers: readonly number[];
}

/** Markers separated only by spaces and commas belong to the same statement. */
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

// Markdown list, heading and block quote signs, and punctuation that joins clauses.
const LEADING_MARKUP = /^(?:[\s>|]+|[-*+•]\s+|\d{1,3}[.)]\s+|#{1,6}\s+|[,;:–—]\s*)+/;

function wordsOf(plain: string, { start, end }: Span): Omit<Statement, 'markers'> {
  const raw = plain.slice(start, Math.max(start, end));
  const before = LEADING_MARKUP.exec(raw)?.[0].length ?? 0;
  const kept = withoutEdge(raw.slice(before));
  const text = kept
    .replace(/\*\*|__|(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])|`/gu, '')
    .replace(/(?<!\s)\s+([.,;:!?])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return { start: start + before, end: start + before + kept.length, text };
}

/** Without the border of its last cell, with which the row of a table ends. */
function withoutEdge(text: string): string {
  let end = text.length;
  while (/[\s|]/.test(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
}
