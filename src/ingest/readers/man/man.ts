import { ServiceError } from '../../../errors.ts';
import { oneLine } from '../../../shared/text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import type { Reader } from '../reader.ts';
import { createManLayout, type ManLayout } from './man-layout.ts';
import { addManTable } from './man-table.ts';
import { isMdocInline, mdocText } from './mdoc-inline.ts';
import { commonStrings, plainRoff, roffArguments } from './roff-escapes.ts';
import { type RoffLine, roffLines } from './roff-lines.ts';

/** Manual pages: roff with the macros of `man` or `mdoc`. */
export const manReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const layout = createManLayout();
    const title = addPage(layout, decoded.text);
    return { ...layout.flush().finish(), ...(title !== undefined && { title }), metadata: {} };
  },
};

const ALTERNATING = new Set('BR RB BI IB IR RI SB'.split(' '));
const FONTS = new Set('B I SM R CW'.split(' '));
const CODE = new Set('nf EX Vb CS DS'.split(' '));
const NO_CODE = new Set('fi EE Ve CE DE Ed'.split(' '));

/** Writes the blocks of a page; returns its title. */
function addPage(layout: ManLayout, text: string): string | undefined {
  const strings = commonStrings();
  const ownMacros = new Set<string>();
  const plain = (line: string) => plainRoff(line, strings);
  let title: string | undefined;
  let source: string | undefined;
  let pageName = '';
  let waiting: 'tag' | 1 | 2 | undefined;
  let tagBlock: string[] | undefined;
  let isSynopsis = false;
  let address = '';
  let bullets: string[] = [];
  let displays: boolean[] = [];

  const put = (raw: string) => {
    const shown = plain(raw) + (raw.endsWith('\\c') ? '\\c' : '');
    if (tagBlock !== undefined) tagBlock.push(shown);
    else if (waiting === 'tag' && shown.trim() !== '') {
      waiting = undefined;
      layout.item(shown.replace(/\\c$/, ''));
    } else if (typeof waiting === 'number') {
      layout.heading(shown, waiting);
      waiting = undefined;
    } else layout.text(shown);
  };
  const mdocWords = (rest: string) =>
    roffArguments(rest).map((word) => ({ text: plain(word.text), isMacro: !word.isQuoted && isMdocInline(word.text) }));
  const mdoc = (rest: string) => mdocText(mdocWords(rest), pageName);
  /** Text that is plain already, and may end with a backslash of its own. */
  const putPlain = (shown: string) => put(shown.replaceAll('\\', '\\e'));

  const lines = roffLines(text, strings, ownMacros);
  const addLine = ({ name, rest }: RoffLine) => {
    if (name === undefined) {
      if (rest.trim() === '') layout.paragraph(false);
      else {
        if (/^\s/.test(rest)) layout.lineBreak();
        put(rest);
      }
      return;
    }
    const words = roffArguments(rest).map((word) => word.text);
    const [first = '', second = ''] = words;
    const endOfFill = () => layout.code(false);
    if (name === 'TH' || name === 'Dt') title ??= second === '' ? plain(first) : `${plain(first)}(${plain(second)})`;
    else if (name === 'SH' || name === 'SS' || name === 'Sh' || name === 'Ss') {
      endOfFill();
      displays = [];
      bullets = [];
      isSynopsis = first === 'SYNOPSIS';
      const level = name[1] === 'H' || name[1] === 'h' ? 1 : 2;
      waiting = words.length === 0 ? level : undefined;
      if (words.length > 0)
        layout.heading(name[1] === 'h' || name[1] === 's' ? mdoc(rest) : plain(words.join(' ')), level);
    } else if (name === 'PP' || name === 'P' || name === 'LP' || name === 'Pp' || name === 'HP') {
      waiting = undefined;
      layout.paragraph(name !== 'Pp');
    } else if (name === 'sp' || name === 'Sp') layout.paragraph(false);
    else if (name === 'br' || name === 'ti') layout.lineBreak();
    else if (name === 'TP' || name === 'TQ') waiting = 'tag';
    else if (name === 'IP') {
      const tag = plain(first);
      if (tag.trim() === '') layout.paragraph(false);
      else layout.item(tag);
    } else if (name === 'RS') layout.indent();
    else if (name === 'RE') layout.outdent();
    else if (CODE.has(name)) layout.code(true);
    else if (NO_CODE.has(name)) {
      if (name !== 'Ed' || displays.pop() === true) endOfFill();
    } else if (name === 'Bd') {
      const isCode = /-(?:literal|unfilled)\b/.test(rest);
      displays.push(isCode);
      if (isCode) layout.code(true);
      else layout.paragraph(false);
    } else if (name === 'Bl') {
      bullets.push(/-(?:bullet|dash|hyphen|enum|item)\b/.test(rest) ? '-' : '');
      layout.indent();
    } else if (name === 'El') {
      bullets.pop();
      layout.outdent();
    } else if (name === 'It') {
      const bullet = bullets.at(-1) ?? '';
      const given = mdoc(rest);
      if (bullet === '' && /(?:^|\s)Xo(?:\s|$)/.test(rest)) tagBlock = [given];
      else layout.item(bullet || given);
    } else if (name === 'Xc' && tagBlock !== undefined) {
      const tag = `${tagBlock.join(' ')} ${mdoc(rest)}`;
      tagBlock = undefined;
      layout.item(tag);
    } else if (name === 'TS') addManTable(layout, lines, (line) => textOf(line));
    else if (name === 'UR' || name === 'MT') address = plain(first);
    else if (name === 'UE' || name === 'ME') {
      putPlain(`<${address}>${plain(first)}`);
      address = '';
    } else if (name === 'so') source ??= first;
    else if (name === 'SY') {
      layout.paragraph(true);
      put(first);
    } else if (name === 'OP') putPlain(`[${plain(words.join(' '))}]`);
    else {
      if (name === 'Nm' && pageName === '') pageName = plain(first);
      else if (name === 'Nm' && isSynopsis) layout.lineBreak();
      if (name === 'D1' || name === 'Dl') layout.lineBreak();
      const shown = textOf({ name, rest });
      if (shown !== undefined && shown !== '') putPlain(shown);
      if (/\\c$/.test(rest)) layout.text('\\c');
      if (name === 'D1' || name === 'Dl') layout.lineBreak();
    }
  };
  /** The text of a line within a paragraph; undefined for a request without text. */
  const textOf = ({ name, rest }: RoffLine): string | undefined => {
    if (name === undefined) return plain(rest);
    if (ALTERNATING.has(name) || ownMacros.has(name)) {
      return roffArguments(rest)
        .map((word) => plain(word.text))
        .join('');
    }
    if (FONTS.has(name))
      return roffArguments(rest)
        .map((word) => plain(word.text))
        .join(' ');
    if (name === 'Nd') return `– ${mdoc(rest)}`;
    if (name === 'Ex' || name === 'Rv') return undefined;
    if (name.startsWith('%')) return `${mdoc(rest)},`;
    if (name === 'Fd' || name === 'Os' || name === 'Dd') return name === 'Fd' ? mdoc(rest) : undefined;
    return isMdocInline(name) ? oneLine(mdoc(`${name} ${rest}`)) : undefined;
  };

  for (let next = lines.next(); !next.done; next = lines.next()) addLine(next.value);
  if (tagBlock !== undefined) layout.item((tagBlock as string[]).join(' '));
  if (title === undefined && source !== undefined) layout.text(source);
  return title;
}
