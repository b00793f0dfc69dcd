import { oneLine } from '../shared/text.ts';
import type { Block } from './readers/reader.ts';

/** The text from one heading, inclusive, to the next. */
export interface Section {
  readonly start: number;
  /** The section's own heading and those above it, outermost first. */
  readonly path: readonly string[];
  readonly blocks: readonly Block[];
}

const MAX_LABEL = 200;

/** Groups the blocks of a text by heading. Text that no block covers counts as paragraphs. */
export function sectionsOf(text: string, blocks: readonly Block[]): Section[] {
  const sections: { start: number; path: readonly string[]; blocks: Block[] }[] = [];
  const open: { level: number; label: string }[] = [];
  for (const block of withGaps(text, blocks)) {
    const last = sections.at(-1);
    if (block.kind !== 'heading') {
      if (last === undefined) sections.push({ start: block.start, path: [], blocks: [block] });
      else last.blocks.push(block);
      continue;
    }
    const level = block.level ?? 1;
    while ((open.at(-1)?.level ?? 0) >= level) open.pop();
    open.push({ level, label: labelOf(text, block) });
    const path = open.map(({ label }) => label).filter((label) => label !== '');
    sections.push({ start: block.start, path, blocks: [block] });
  }
  return sections;
}

function labelOf(text: string, block: Block): string {
  const label = block.label ?? text.slice(block.start, block.end);
  return oneLine(label).slice(0, MAX_LABEL).toWellFormed();
}

function* withGaps(text: string, blocks: readonly Block[]): Generator<Block> {
  let end = 0;
  for (const block of blocks) {
    yield* gap(text, end, block.start);
    if (block.end <= end) continue;
    yield block.start < end ? { ...block, start: end } : block;
    end = block.end;
  }
  yield* gap(text, end, text.length);
}

function* gap(text: string, start: number, end: number): Generator<Block> {
  const content = start < end ? /\S(?:[\s\S]*\S)?/.exec(text.slice(start, end)) : null;
  if (content !== null) {
    const from = start + content.index;
    yield { kind: 'paragraph', start: from, end: from + content[0].length };
  }
}
