import { cleanText } from './clean-text.ts';
import { codePageOfCharset, codePageOfNumber, decodeBytes, SYMBOLS } from './rtf-charsets.ts';
import { rtfTokens } from './rtf-tokens.ts';

export type RtfParagraph =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string; readonly level: number }
  | { readonly kind: 'item'; readonly text: string; readonly mark: string; readonly depth: number }
  | { readonly kind: 'row'; readonly cells: readonly string[] };

export interface RtfContent {
  readonly paragraphs: readonly RtfParagraph[];
  readonly notes: readonly string[];
  readonly info: Readonly<Record<string, string>>;
}

/** Where the text of a group goes. */
type Destination = 'body' | 'note' | 'mark' | 'fonts' | 'styles' | 'dropped' | `info ${string}`;

interface Group {
  destination: Destination;
  font: number;
  /** Characters after a `\u` that stand in for it. */
  substitutes: number;
  isHidden: boolean;
  isInTable: boolean;
  /** Of paragraphs: 0 to 8 by `\outlinelevel`, else undefined. */
  outline: number | undefined;
  style: number | undefined;
  listLevel: number;
}

/** Groups whose words are not the text's: tables of the file, pictures, running headers, data of other programs. */
const DROPPED = new Set(
  'colortbl pict object objdata fldinst listtable listoverridetable revtbl rsidtbl themedata colorschememapping datastore latentstyles generator header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc aftnsep aftnsepc xe tc txe rxe bkmkstart bkmkend annotation atnid atnauthor atntime atnicn atndate atnref nonshppict shppict sp sn sv private xmlnstbl wgrffmtfilter mmathPr filetbl pgptbl docvar formfield pnseclvl background template userprops'.split(
    ' ',
  ),
);
const INFO: Readonly<Record<string, string>> = {
  title: 'title',
  author: 'author',
  subject: 'subject',
  keywords: 'keywords',
};
/** Starred groups, which a reader that does not know them leaves out, with text to be read all the same. */
const KNOWN_STARRED = new Set(['shpinst', 'shptxt', 'footnote', 'pntext', 'listtext', 'fldrslt']);
const CHARACTERS: Readonly<Record<string, string>> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
  '~': '\u00a0',
  _: '\u2011',
  '\\': '\\',
  '{': '{',
  '}': '}',
};
/** Deeper groups are read, but change nothing any more. */
const MAX_GROUPS = 100_000;

/** Reads the paragraphs of an RTF file, given as Latin-1. What is cut off at its end is read as far as it goes. */
export function readRtf(source: string, signal: AbortSignal): RtfContent {
  const fonts = new Map<number, string>();
  const headings = new Map<number, number>();
  const paragraphs: RtfParagraph[] = [];
  const notes: string[] = [];
  const info: Record<string, string> = {};
  const stack: Group[] = [];
  let group: Group = {
    destination: 'body',
    font: 0,
    substitutes: 1,
    isHidden: false,
    isInTable: false,
    outline: undefined,
    style: undefined,
    listLevel: 0,
  };
  let codePage = 'cp1252';
  let isStarred = false;
  let skip = 0;
  let bytes: number[] = [];
  let bytesCodePage = codePage;
  let text = '';
  let mark = '';
  let note = '';
  let aside = '';
  let cells: string[] = [];
  let count = 0;

  const flushBytes = () => {
    if (bytes.length === 0) return;
    const decoded = decodeBytes(bytes, bytesCodePage);
    bytes = [];
    append(decoded);
  };
  const append = (added: string) => {
    switch (group.destination) {
      case 'body':
        if (!group.isHidden) text += added;
        return;
      case 'note':
        note += added;
        return;
      case 'mark':
        mark += added;
        return;
      case 'dropped':
        return;
      default:
        aside += added;
    }
  };
  const closeParagraph = () => {
    flushBytes();
    if (group.destination === 'note') {
      note += ' ';
      return;
    }
    if (group.destination !== 'body') return;
    if (group.isInTable) {
      text += '\n';
      return;
    }
    const level = group.outline === undefined ? headings.get(group.style ?? -1) : group.outline + 1;
    const shown = mark.trim();
    if (text.trim() === '') {
      // Nothing but blank lines between paragraphs.
    } else if (level !== undefined && level >= 1 && level <= 9)
      paragraphs.push({ kind: 'heading', text, level: Math.min(6, level) });
    else if (shown !== '')
      paragraphs.push({
        kind: 'item',
        text,
        mark: /[\p{L}\p{N}]/u.test(shown) ? shown : '-',
        depth: Math.min(8, group.listLevel),
      });
    else paragraphs.push({ kind: 'paragraph', text });
    text = '';
    mark = '';
  };
  const closeRow = () => {
    flushBytes();
    if (text.trim() !== '') cells.push(text);
    text = '';
    if (cells.length > 0) paragraphs.push({ kind: 'row', cells });
    cells = [];
  };
  const closeGroup = () => {
    flushBytes();
    const closed = group;
    const outer = stack.pop();
    if (outer === undefined) return;
    if (closed.destination !== outer.destination) {
      if (closed.destination === 'note' && note.trim() !== '') {
        notes.push(cleanText(note).replace(/\s+/g, ' ').trim());
        note = '';
      }
      if (closed.destination.startsWith('info ')) {
        const value = cleanText(aside).trim();
        if (value !== '') info[closed.destination.slice(5)] = value.slice(0, 1_000);
      }
      aside = '';
    }
    // The style's name ends with its group.
    if (closed.destination === 'styles' && outer.destination === 'styles') {
      const level = /^\s*heading (\d)\b/i.exec(aside)?.[1];
      if (level !== undefined && closed.style !== undefined) headings.set(closed.style, Number(level));
      if (/^\s*title;/i.test(aside) && closed.style !== undefined) headings.set(closed.style, 1);
      aside = '';
    }
    group = outer;
  };

  for (const token of rtfTokens(source)) {
    if (++count % 10_000 === 0) signal.throwIfAborted();
    if (token.kind === 'byte') {
      if (skip > 0) skip--;
      else {
        const page = group.destination === 'dropped' ? codePage : (fonts.get(group.font) ?? codePage);
        if (page !== bytesCodePage) flushBytes();
        bytesCodePage = page;
        bytes.push(token.code);
      }
      continue;
    }
    if (token.kind === 'text') {
      const kept = token.text.slice(skip);
      skip = Math.max(0, skip - token.text.length);
      // The second byte of an East Asian character may be a letter.
      if (bytes.length > 0 && /^cp9/.test(bytesCodePage)) bytes.push(...Buffer.from(kept.slice(0, 1), 'latin1'));
      else if (bytes.length > 0) flushBytes();
      const rest = bytes.length > 0 ? kept.slice(1) : kept;
      flushBytes();
      // biome-ignore lint/suspicious/noControlCharactersInRegex: bytes above ASCII are what is looked for
      if (/^[\u0000-\u007f]*$/.test(rest)) append(rest);
      else append(decodeBytes([...Buffer.from(rest, 'latin1')], codePage));
      continue;
    }
    if (token.kind === 'open') {
      flushBytes();
      skip = 0;
      if (stack.length < MAX_GROUPS) stack.push({ ...group });
      isStarred = false;
      continue;
    }
    if (token.kind === 'close') {
      skip = 0;
      closeGroup();
      isStarred = false;
      continue;
    }
    const { name, value } = token;
    if (name === 'u') {
      flushBytes();
      // Half of a pair may stand alone here; the other follows.
      append(String.fromCharCode((value ?? 0x20) & 0xffff));
      skip = group.substitutes;
      continue;
    }
    flushBytes();
    if (name === '*') {
      isStarred = true;
      continue;
    }
    const wasStarred = isStarred;
    isStarred = false;
    const character = CHARACTERS[name];
    if (character !== undefined) {
      if (skip > 0) skip--;
      else append(character);
    } else if (DROPPED.has(name) || (wasStarred && !KNOWN_STARRED.has(name))) group.destination = 'dropped';
    else if (group.destination !== 'dropped') apply(name, value);
  }
  closeParagraph();
  if (cells.length > 0) closeRow();
  return { paragraphs, notes, info };

  function apply(name: string, value: number | undefined): void {
    switch (name) {
      case 'ansicpg':
        codePage = codePageOfNumber(value ?? 1252);
        return;
      case 'mac':
        codePage = 'macroman';
        return;
      case 'fonttbl':
        group.destination = 'fonts';
        return;
      case 'stylesheet':
        group.destination = 'styles';
        return;
      case 'info':
        group.destination = 'info other';
        return;
      case 'footnote':
        group.destination = 'note';
        return;
      case 'listtext':
      case 'pntext':
        group.destination = 'mark';
        return;
      case 'shptxt':
        closeParagraph();
        return;
      case 'f':
        group.font = value ?? 0;
        return;
      case 'fcharset': {
        const page = codePageOfCharset(value ?? 0);
        if (group.destination === 'fonts' && page !== undefined) fonts.set(group.font, page);
        return;
      }
      case 'cpg':
        if (group.destination === 'fonts' && fonts.get(group.font) !== SYMBOLS)
          fonts.set(group.font, codePageOfNumber(value ?? 1252));
        return;
      case 'uc':
        group.substitutes = Math.min(10, Math.max(0, value ?? 1));
        return;
      case 'v':
      case 'deleted':
        group.isHidden = value !== 0;
        return;
      case 'plain':
        group.isHidden = false;
        return;
      case 'pard':
        group.isInTable = false;
        group.outline = undefined;
        group.style = undefined;
        group.listLevel = 0;
        return;
      case 's':
        group.style = value;
        return;
      case 'outlinelevel':
        group.outline = value !== undefined && value < 9 ? value : undefined;
        return;
      case 'ilvl':
        group.listLevel = value ?? 0;
        return;
      case 'intbl':
        group.isInTable = true;
        return;
      case 'cell':
      case 'nestcell':
        flushBytes();
        if (name === 'cell') {
          cells.push(text);
          text = '';
        } else text += '\t';
        mark = '';
        return;
      case 'row':
        closeRow();
        return;
      case 'nestrow':
        text += '\n';
        return;
      case 'par':
      case 'page':
      case 'sect':
        closeParagraph();
        return;
      default:
        if (group.destination.startsWith('info')) {
          const field = INFO[name];
          if (field !== undefined) group.destination = `info ${field}`;
        }
    }
  }
}
