import { oneLine } from '../../../shared/text.ts';
import { createTextBuilder, type TextBuilder } from '../build-text.ts';

interface Frame {
  /** Whether the text around the frame belongs to an item. */
  readonly wasItem: boolean;
  /** Whether the text of the frame belongs to an item. */
  readonly isItem: boolean;
}

const MAX_TAG = 150;
const MAX_INDENT = 4;
const BULLET = /^(?:[•·○□*+o–—-]|\\\(bu)$/;

/** Collects lines into paragraphs, items with their tags, and code. */
export interface ManLayout {
  text(line: string): void;
  /** Ends the open paragraph; without `isNew` the next one still belongs to the item. */
  paragraph(isNew: boolean): void;
  lineBreak(): void;
  item(tag: string): void;
  heading(text: string, level: number): void;
  indent(): void;
  outdent(): void;
  code(isCode: boolean): void;
  readonly isCode: boolean;
  /** The builder, for blocks of other kinds. */
  flush(): TextBuilder;
}

export function createManLayout(): ManLayout {
  const builder = createTextBuilder();
  const frames: Frame[] = [];
  let depth = 0;
  let open: string[] = [];
  let items: string[] = [];
  let code: string[] | undefined;
  let tag: string | undefined;
  let isItem = false;
  let isGlued = true;

  const indentation = () => '  '.repeat(Math.min(depth, MAX_INDENT));
  const endText = () => {
    const text = open.join('').trim();
    open = [];
    isGlued = true;
    if (tag !== undefined) {
      items.push(
        text === '' ? tag : `${tag}${/(?:[:?!]|^\s*(?:-|\d{1,3}[.)]))$/.test(tag) ? '' : ':'} ${oneLine(text)}`,
      );
      tag = undefined;
    } else if (text === '') return;
    else if (isItem) items.push(`${indentation()}  ${oneLine(text)}`);
    else {
      // Pages made from AsciiDoc draw their bullets.
      const [, mark = '', rest = ''] = /^([•·]|\d{1,3}\.)\s+(.*)$/s.exec(text) ?? [];
      if (rest !== '') items.push(`${indentation()}${/\d/.test(mark) ? mark : '-'} ${oneLine(rest)}`);
      else {
        endItems();
        builder.add('paragraph', text);
      }
    }
  };
  const endItems = () => {
    if (items.length > 0) builder.add('list', items.join('\n'));
    items = [];
  };
  const flush = () => {
    endText();
    endItems();
    return builder;
  };
  const endCode = () => {
    if (code !== undefined) builder.add('code', code.join('\n'));
    code = undefined;
  };

  return {
    text(line) {
      const isContinued = line.endsWith('\\c');
      const shown = isContinued ? line.slice(0, -2) : line;
      if (code !== undefined) {
        code.push(shown);
        return;
      }
      if (shown.trim() === '') return;
      open.push(isGlued ? '' : ' ', isGlued ? shown : shown.trim());
      isGlued = isContinued;
    },
    paragraph(isNew) {
      if (code !== undefined) {
        code.push('');
        return;
      }
      if (tag !== undefined && open.length === 0) return;
      endText();
      if (isNew) isItem = frames.at(-1)?.isItem ?? false;
      if (!isItem && isNew) endItems();
    },
    lineBreak() {
      if (open.length > 0 && !isGlued) {
        open.push('\n');
        isGlued = true;
      }
    },
    item(given) {
      endCode();
      const text = oneLine(given);
      const mark = BULLET.test(text) ? '-' : text;
      // Tags without text between them share the text of the last one.
      const before = tag !== undefined && open.length === 0 && tag.length + mark.length < MAX_TAG ? tag : undefined;
      if (before !== undefined && mark !== '' && mark !== '-' && !before.endsWith('-')) tag = `${before}, ${mark}`;
      else {
        endText();
        isItem = true;
        tag = `${indentation()}${mark}`;
      }
    },
    heading(text, level) {
      endCode();
      flush();
      frames.length = 0;
      depth = 0;
      isItem = false;
      builder.add('heading', oneLine(text), { level });
    },
    indent() {
      if (code !== undefined) return;
      const text = open.join('').trim();
      // Pages made from DocBook write a tag as a paragraph before its indented text.
      const isTag =
        tag === undefined &&
        text !== '' &&
        text.length <= MAX_TAG &&
        !/(?<!\.\.)[.:;,]$|\n/.test(text) &&
        !/^[•·]/.test(text);
      if (isTag) {
        open = [];
        isGlued = true;
        tag = `${indentation()}${text}`;
      } else if (tag === undefined || text !== '') endText();
      const frame = { wasItem: frames.at(-1)?.isItem ?? false, isItem: isTag || isItem || tag !== undefined };
      frames.push(frame);
      if (frame.isItem) depth++;
      isItem = frame.isItem;
    },
    outdent() {
      if (code !== undefined) return;
      endText();
      const frame = frames.pop();
      if (frame === undefined) return;
      if (frame.isItem) depth--;
      isItem = frame.wasItem;
    },
    code(isCode) {
      if (!isCode) endCode();
      else if (code === undefined) {
        flush();
        code = [];
      }
    },
    get isCode() {
      return code !== undefined;
    },
    flush() {
      endCode();
      return flush();
    },
  };
}
