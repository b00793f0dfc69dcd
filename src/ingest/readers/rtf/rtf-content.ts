import { cleanLine, cleanText } from '../encoding/clean-text.ts';
import type { RtfGroup } from './rtf-groups.ts';

export type RtfParagraph =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string; readonly level: number }
  | { readonly kind: 'item'; readonly text: string; readonly mark: string; readonly depth: number }
  | { readonly kind: 'row'; readonly cells: readonly string[] };

/** Collects the text of an RTF file into paragraphs, cells and notes, according to its group. */
export interface RtfCollector {
  append(text: string, group: RtfGroup): void;
  closeParagraph(group: RtfGroup): void;
  closeCell(isNested: boolean): void;
  closeRow(): void;
  closeGroup(closed: RtfGroup, outer: RtfGroup): void;
  readonly paragraphs: readonly RtfParagraph[];
  readonly notes: readonly string[];
  readonly info: Readonly<Record<string, string>>;
}

const MAX_VALUE = 1_000;
const MAX_DEPTH = 8;

export function createRtfCollector(): RtfCollector {
  const paragraphs: RtfParagraph[] = [];
  const notes: string[] = [];
  const info: Record<string, string> = {};
  /** Numbers of heading styles → their levels. */
  const headings = new Map<number, number>();
  let text = '';
  let mark = '';
  let note = '';
  // Text outside the body: the name of a style, a property value.
  let otherText = '';
  let cells: string[] = [];

  const toParagraph = (group: RtfGroup): RtfParagraph => {
    const level = group.outline === undefined ? headings.get(group.style ?? -1) : group.outline + 1;
    if (level !== undefined) return { kind: 'heading', text, level: Math.min(6, Math.max(1, level)) };
    const sign = mark.trim();
    if (sign === '') return { kind: 'paragraph', text };
    return {
      kind: 'item',
      text,
      mark: /[\p{L}\p{N}]/u.test(sign) ? sign : '-',
      depth: Math.min(MAX_DEPTH, Math.max(0, group.listLevel)),
    };
  };

  const closeStyle = ({ style }: RtfGroup) => {
    const level = /^\s*heading (\d)\b/i.exec(otherText)?.[1] ?? (/^\s*title;/i.test(otherText) ? '1' : undefined);
    if (level !== undefined && style !== undefined) headings.set(style, Number(level));
  };

  return {
    paragraphs,
    notes,
    info,
    append(added, { destination, isHidden }) {
      if (destination === 'body') text += isHidden ? '' : added;
      else if (destination === 'note') note += added;
      else if (destination === 'mark') mark += added;
      else if (destination !== 'dropped') otherText += added;
    },
    closeParagraph(group) {
      if (group.destination === 'note') note += ' ';
      if (group.destination !== 'body') return;
      if (group.isInTable) {
        text += '\n';
        return;
      }
      if (text.trim() !== '') paragraphs.push(toParagraph(group));
      text = '';
      mark = '';
    },
    closeCell(isNested) {
      mark = '';
      // A nested table becomes lines of the outer cell.
      if (isNested) text += '\t';
      else {
        cells.push(text);
        text = '';
      }
    },
    closeRow() {
      if (text.trim() !== '') cells.push(text);
      text = '';
      if (cells.length > 0) paragraphs.push({ kind: 'row', cells });
      cells = [];
    },
    closeGroup(closed, outer) {
      if (closed.destination === 'styles') closeStyle(closed);
      else if (closed.destination === outer.destination) return;
      if (closed.destination === 'note') {
        const shown = cleanLine(note);
        if (shown !== '') notes.push(shown);
        note = '';
      } else if (closed.destination.startsWith('info ')) {
        const value = cleanText(otherText).trim();
        if (value !== '') info[closed.destination.slice(5)] = value.slice(0, MAX_VALUE);
      }
      otherText = '';
    },
  };
}
