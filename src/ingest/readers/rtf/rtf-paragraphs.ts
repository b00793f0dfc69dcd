import { codePageOfCharset, codePageOfNumber, decodeBytes, SYMBOLS } from './rtf-charsets.ts';
import { createRtfCollector, type RtfCollector } from './rtf-content.ts';
import { changeGroup, isDropped, outermostGroup, type RtfGroup } from './rtf-groups.ts';
import { type RtfToken, rtfTokens } from './rtf-tokens.ts';

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
/** Deeper groups are parsed without effect. */
const MAX_GROUPS = 100_000;
const CHECK_EVERY = 10_000;

/** Reads the paragraphs of an RTF file, given as Latin-1. A truncated file is read as far as possible. */
export function readRtf(source: string, signal: AbortSignal): Pick<RtfCollector, 'paragraphs' | 'notes' | 'info'> {
  const state = createRtfState(createRtfCollector());
  let count = 0;
  for (const token of rtfTokens(source)) {
    if (++count % CHECK_EVERY === 0) signal.throwIfAborted();
    state.take(token);
  }
  return state.finish();
}

function createRtfState(collector: RtfCollector) {
  const fonts = new Map<number, string>();
  const stack: RtfGroup[] = [];
  let group = outermostGroup();
  let codePage = 'cp1252';
  let isStarred = false;
  /** Characters still to be skipped after a `\u`. */
  let skip = 0;
  // Bytes are collected until their run ends, because a character may have two.
  let bytes: number[] = [];
  let bytesCodePage = codePage;

  const flush = () => {
    if (bytes.length > 0) collector.append(decodeBytes(bytes, bytesCodePage), group);
    bytes = [];
  };

  const takeByte = (code: number) => {
    if (skip > 0) {
      skip--;
      return;
    }
    const page = fonts.get(group.font) ?? codePage;
    if (page !== bytesCodePage) flush();
    bytesCodePage = page;
    bytes.push(code);
  };

  const takeText = (text: string) => {
    const kept = text.slice(skip);
    skip = Math.max(0, skip - text.length);
    // The second byte of an East Asian character may be a letter.
    const isOpen = bytes.length > 0 && bytesCodePage.startsWith('cp9');
    if (isOpen) bytes.push(...Buffer.from(kept.slice(0, 1), 'latin1'));
    flush();
    const rest = isOpen ? kept.slice(1) : kept;
    const isPlain = [...rest].every((character) => character < '\u0080');
    collector.append(isPlain ? rest : decodeBytes([...Buffer.from(rest, 'latin1')], codePage), group);
  };

  const takeWord = (name: string, value: number | undefined) => {
    flush();
    const wasStarred = isStarred;
    isStarred = name === '*';
    const character = CHARACTERS[name];
    if (name === 'u') {
      // This may be half of a surrogate pair; the other half follows.
      collector.append(String.fromCharCode((value ?? 0x20) & 0xffff), group);
      skip = group.substitutes;
    } else if (character !== undefined) {
      if (skip > 0) skip--;
      else collector.append(character, group);
    } else if (name !== '*' && isDropped(name, wasStarred)) group.destination = 'dropped';
    else if (group.destination !== 'dropped') apply(name, value);
  };

  const apply = (name: string, value: number | undefined): void => {
    switch (name) {
      case 'ansicpg':
        codePage = codePageOfNumber(value ?? 1252);
        return;
      case 'mac':
        codePage = 'macroman';
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
      case 'cell':
      case 'nestcell':
        collector.closeCell(name === 'nestcell');
        return;
      case 'row':
        collector.closeRow();
        return;
      case 'nestrow':
        collector.append('\n', group);
        return;
      case 'par':
      case 'page':
      case 'sect':
      case 'shptxt':
        collector.closeParagraph(group);
        return;
      default:
        changeGroup(group, name, value);
    }
  };

  return {
    take(token: RtfToken) {
      switch (token.kind) {
        case 'byte':
          return takeByte(token.code);
        case 'text':
          return takeText(token.text);
        case 'word':
          return takeWord(token.name, token.value);
        case 'open':
          flush();
          if (stack.length < MAX_GROUPS) stack.push({ ...group });
          break;
        case 'close': {
          flush();
          const outer = stack.pop();
          if (outer !== undefined) {
            collector.closeGroup(group, outer);
            group = outer;
          }
        }
      }
      skip = 0;
      isStarred = false;
    },
    finish() {
      flush();
      collector.closeParagraph({ ...group, destination: 'body', isInTable: false });
      collector.closeRow();
      return collector;
    },
  };
}
