import { ServiceError } from '../../../errors.ts';
import { oneLine } from '../../../shared/text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import type { Reader } from '../reader.ts';
import { createManLayout, type ManLayout } from './man-layout.ts';
import { addManTable } from './man-table.ts';
import { isMdocInline, mdocText } from './mdoc-inline.ts';
import { commonStrings, MAX_STRING, plainRoff, roffArguments } from './roff-escapes.ts';
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

/** What a request or macro does, given the rest of its line and its arguments. */
type Request = (rest: string, words: readonly string[]) => void;

const named = (names: string, request: Request): [string, Request][] => names.split(' ').map((name) => [name, request]);

/** Writes the blocks of a page; returns its title. */
function addPage(layout: ManLayout, text: string): string | undefined {
  const strings = commonStrings();
  const ownMacros = new Set<string>();
  const lines = roffLines(text, strings, ownMacros);
  let title: string | undefined;
  let source: string | undefined;
  let pageName = '';
  /** What the next text is: a tag, or a heading of this level. */
  let waiting: 'tag' | 1 | 2 | undefined;
  /** A tag of several lines. */
  let tagBlock: string[] | undefined;
  let isSynopsis = false;
  let address = '';
  /** Marks of the open lists, and which of the open displays are code. */
  let bullets: string[] = [];
  let displays: boolean[] = [];

  const plain = (line: string) => plainRoff(line, strings);
  const mdoc = (rest: string): string => {
    const words = roffArguments(rest);
    return mdocText(
      words.map((word) => ({ text: plain(word.text), isMacro: !word.isQuoted && isMdocInline(word.text) })),
      pageName,
    );
  };
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
  /** Text that is plain already, and may end with a backslash of its own. */
  const putPlain = (shown: string) => put(shown.replaceAll('\\', '\\e'));

  const heading =
    (level: 1 | 2, shown: (rest: string, words: readonly string[]) => string): Request =>
    (rest, words) => {
      layout.code(false);
      displays = [];
      bullets = [];
      isSynopsis = words[0] === 'SYNOPSIS';
      waiting = words.length === 0 ? level : undefined;
      if (words.length > 0) layout.heading(shown(rest, words), level);
    };
  const ofMan = (_: string, words: readonly string[]) => plain(words.join(' '));

  const requests: ReadonlyMap<string, Request> = new Map([
    ...named('TH Dt', (_, [name = '', section = '']) => {
      title ??= section === '' ? plain(name) : `${plain(name)}(${plain(section)})`;
    }),
    ...named('SH', heading(1, ofMan)),
    ...named('SS', heading(2, ofMan)),
    ...named('Sh', heading(1, mdoc)),
    ...named('Ss', heading(2, mdoc)),
    ...named('PP P LP HP', () => {
      waiting = undefined;
      layout.paragraph(true);
    }),
    ...named('Pp', () => {
      waiting = undefined;
      layout.paragraph(false);
    }),
    ...named('sp Sp', () => layout.paragraph(false)),
    ...named('br ti', () => layout.lineBreak()),
    ...named('TP TQ', () => {
      waiting = 'tag';
    }),
    ...named('IP', (_, [first = '']) => {
      const tag = plain(first);
      if (tag.trim() === '') layout.paragraph(false);
      else layout.item(tag);
    }),
    ...named('RS', () => layout.indent()),
    ...named('RE', () => layout.outdent()),
    ...named('nf EX Vb CS DS', () => layout.code(true)),
    ...named('fi EE Ve CE DE', () => layout.code(false)),
    ...named('Bd', (rest) => {
      const isCode = /-(?:literal|unfilled)\b/.test(rest);
      displays.push(isCode);
      if (isCode) layout.code(true);
      else layout.paragraph(false);
    }),
    ...named('Ed', () => {
      if (displays.pop() === true) layout.code(false);
    }),
    ...named('Bl', (rest) => {
      bullets.push(/-(?:bullet|dash|hyphen|enum|item)\b/.test(rest) ? '-' : '');
      layout.indent();
    }),
    ...named('El', () => {
      bullets.pop();
      layout.outdent();
    }),
    ...named('It', (rest) => {
      const bullet = bullets.at(-1) ?? '';
      const tag = mdoc(rest);
      if (bullet === '' && /(?:^|\s)Xo(?:\s|$)/.test(rest)) tagBlock = [tag];
      else layout.item(bullet || tag);
    }),
    ...named('Xc', (rest) => {
      if (tagBlock === undefined) return addInline('Xc', rest);
      const tag = `${tagBlock.join(' ')} ${mdoc(rest)}`;
      tagBlock = undefined;
      layout.item(tag);
    }),
    ...named('TS', () => addManTable(layout, lines, textOf)),
    ...named('UR MT', (_, [first = '']) => {
      address = plain(first);
    }),
    ...named('UE ME', (_, [first = '']) => {
      putPlain(`<${address}>${plain(first)}`);
      address = '';
    }),
    ...named('so', (_, [first = '']) => {
      source ??= first;
    }),
    ...named('SY', (_, [first = '']) => {
      layout.paragraph(true);
      put(first);
    }),
    ...named('OP', (_, words) => putPlain(`[${plain(words.join(' '))}]`)),
    ...named('Nm', (rest, [first = '']) => {
      if (pageName === '') pageName = plain(first).slice(0, MAX_STRING);
      else if (isSynopsis) layout.lineBreak();
      addInline('Nm', rest);
    }),
    ...['D1', 'Dl'].map((name): [string, Request] => [
      name,
      (rest) => {
        layout.lineBreak();
        addInline(name, rest);
        layout.lineBreak();
      },
    ]),
  ]);

  /** Adds a macro that only writes text. */
  function addInline(name: string, rest: string): void {
    const shown = textOf({ name, rest });
    if (shown !== undefined && shown !== '') putPlain(shown);
    if (/\\c$/.test(rest)) layout.text('\\c');
  }

  /** The text of a line within a paragraph; undefined for a request without text. */
  function textOf({ name, rest }: RoffLine): string | undefined {
    if (name === undefined) return plain(rest);
    const words = () => roffArguments(rest).map((word) => plain(word.text));
    if (ALTERNATING.has(name) || ownMacros.has(name)) return words().join('');
    if (FONTS.has(name)) return words().join(' ');
    if (name === 'Nd') return `– ${mdoc(rest)}`;
    if (name.startsWith('%')) return `${mdoc(rest)},`;
    if (name === 'Fd') return mdoc(rest);
    return isMdocInline(name) ? oneLine(mdoc(`${name} ${rest}`)) : undefined;
  }

  for (let next = lines.next(); !next.done; next = lines.next()) {
    const { name, rest } = next.value;
    if (name !== undefined) {
      const request = requests.get(name);
      if (request === undefined) addInline(name, rest);
      else {
        request(
          rest,
          roffArguments(rest).map((word) => word.text),
        );
      }
    } else if (rest.trim() === '') layout.paragraph(false);
    else {
      if (/^\s/.test(rest)) layout.lineBreak();
      put(rest);
    }
  }
  if (tagBlock !== undefined) layout.item(tagBlock.join(' '));
  if (title === undefined && source !== undefined) layout.text(source);
  return title;
}
