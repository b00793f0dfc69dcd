import type { Span } from '../citations/citation.ts';
import { divideBlock } from './divide-block.ts';
import type { Block } from './readers/reader.ts';
import type { Section } from './sections.ts';

export interface StructureSizes {
  /** Paragraphs are joined up to this size. */
  readonly target: number;
  /** A single paragraph may have this size before it is cut. */
  readonly maximum: number;
}

export interface SectionSpan extends Span {
  readonly path: readonly string[];
}

interface JoinedSpan extends SectionSpan {
  readonly hasSiblings?: boolean;
}

/** Smaller pieces are too short to stand alone. */
const TINY = 160;

/** Spans of at most `maximum` characters whose boundaries are those of sections, blocks, sentences or lines. */
export function splitStructure(text: string, sections: readonly Section[], sizes: StructureSizes): SectionSpan[] {
  const spans = sections.flatMap((section) =>
    joinTail(packSection(text, section, sizes), sizes.maximum).map((span) => ({ ...span, path: section.path })),
  );
  return joinTinySections(spans, sections, sizes);
}

function packSection(text: string, { blocks }: Section, { target, maximum }: StructureSizes): Span[] {
  const packed: Span[] = [];
  let open: Span | undefined;
  const close = () => {
    if (open !== undefined) packed.push(open);
    open = undefined;
  };
  for (const block of blocks) {
    const joined: number = block.end - (open?.start ?? block.start);
    const isLeadIn = open !== undefined && open.end - open.start < TINY;
    if (joined <= target || (isLeadIn && joined <= maximum)) {
      open = { start: open?.start ?? block.start, end: block.end };
      continue;
    }
    if (!isLeadIn) close();
    const lead: Span | undefined = open;
    open = undefined;
    if (block.end - block.start <= maximum && lead === undefined) open = { start: block.start, end: block.end };
    else packed.push(...packParts(text, block, lead, { target, maximum }));
  }
  close();
  return packed;
}

/**
 * Cuts a block that is too large into parts of about equal size; a short preceding span, such as its heading, joins the
 * first.
 */
function packParts(text: string, block: Block, lead: Span | undefined, { target, maximum }: StructureSizes): Span[] {
  const start = lead?.start ?? block.start;
  const length = block.end - start;
  const targetLength = length / Math.ceil(length / target);
  const packed: Span[] = [];
  let open: Span | undefined = lead;
  for (const part of divideBlock(text, block, maximum)) {
    const from: number = open?.start ?? part.start;
    const before: number = open === undefined ? 0 : open.end - from;
    const after = part.end - from;
    // Stops where the size is closest to the target.
    if (
      open !== undefined &&
      (after > maximum || (before > TINY && Math.abs(before - targetLength) < Math.abs(after - targetLength)))
    ) {
      packed.push(open);
      open = part;
    } else open = { start: from, end: part.end };
  }
  if (open !== undefined) packed.push(open);
  return packed;
}

function joinTail(spans: Span[], maximum: number): Span[] {
  const last = spans.at(-1);
  const before = spans.at(-2);
  if (last === undefined || before === undefined) return spans;
  if (last.end - last.start >= TINY || last.end - before.start > maximum) return spans;
  return [...spans.slice(0, -2), { start: before.start, end: last.end }];
}

/** Joins a heading with almost no text to the following section, if that is below it or at the same level. */
function joinTinySections(
  spans: readonly SectionSpan[],
  sections: readonly Section[],
  { target, maximum }: StructureSizes,
): SectionSpan[] {
  const starts = new Set(sections.map(({ start }) => start));
  const joined: JoinedSpan[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last === undefined || !starts.has(span.start) || !isTogether(last.path, span.path)) {
      joined.push(span);
      continue;
    }
    const length = span.end - last.start;
    const isTiny = last.end - last.start < TINY || span.end - span.start < TINY / 2;
    if (isTiny && (length <= target || (last.end - last.start < TINY / 2 && length <= maximum))) {
      joined[joined.length - 1] = { start: last.start, end: span.end, ...joinedPath(last, span.path) };
    } else joined.push(span);
  }
  return joined;
}

const commonLength = (left: readonly string[], right: readonly string[]): number => {
  const different = left.findIndex((name, index) => name !== right[index]);
  return different === -1 ? left.length : different;
};

/** Whether the second path is below the first, or both are below the same heading. */
function isTogether(left: readonly string[], right: readonly string[]): boolean {
  const common = commonLength(left, right);
  return common === left.length || (common === left.length - 1 && common === right.length - 1);
}

/** A span that contains sections of the same level keeps the path above them, whatever else joins it. */
function joinedPath({ path, hasSiblings = false }: JoinedSpan, next: readonly string[]): Omit<JoinedSpan, keyof Span> {
  const common = commonLength(path, next);
  if (common === path.length && !hasSiblings) return { path: next };
  return { path: path.slice(0, common), hasSiblings: true };
}
