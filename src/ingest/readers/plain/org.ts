import type { Metadata } from '../../../documents/document.ts';
import { ServiceError } from '../../../errors.ts';
import { createTextBuilder, type TextBuilder } from '../build-text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import { markdownTable } from '../markdown/markdown-table.ts';
import type { Reader } from '../reader.ts';

/** Org files: outline, lists, tables, code; drawers, comments and settings are left out. */
export const orgReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const builder = createTextBuilder();
    const settings = addOrg(builder, decoded.text.split('\n'));
    const { title, ...metadata } = settings;
    return { ...builder.finish(), ...(title !== undefined && { title }), metadata };
  },
};

type Kind = 'paragraph' | 'list' | 'table' | 'code';

/** Keywords that carry metadata; all others are settings for programs. */
const METADATA_KEYWORDS: Readonly<Record<string, string>> = {
  title: 'title',
  author: 'author',
  date: 'date',
  email: 'email',
  language: 'language',
  description: 'description',
  keywords: 'keywords',
  filetags: 'tags',
};

function addOrg(builder: TextBuilder, lines: readonly string[]): Metadata & { title?: string } {
  const settings: Record<string, string> = {};
  let kind = 'paragraph' as Kind;
  let open: string[] = [];
  const flush = () => {
    if (kind === 'table') builder.add('table', tableOf(open));
    else builder.add(kind, kind === 'code' ? open.join('\n') : inline(open.join('\n')));
    open = [];
  };
  const put = (next: Kind, line: string) => {
    if (next !== kind) flush();
    kind = next;
    open.push(line);
  };
  let block: string | undefined;
  let isDrawer = false;
  for (const line of lines) {
    if (block !== undefined) {
      if (new RegExp(`^\\s*#\\+end_${block}\\s*$`, 'i').test(line)) {
        flush();
        block = undefined;
      } else if (block !== 'comment') put(VERBATIM.has(block) ? 'code' : 'paragraph', line.replace(/^,(?=[*#])/, ''));
      continue;
    }
    if (isDrawer) {
      isDrawer = !/^\s*:END:\s*$/i.test(line);
      continue;
    }
    const blockKind = /^\s*#\+begin_([a-z]{1,30})\b/i.exec(line)?.[1];
    const heading = /^(\*{1,50})\s+(\S.*)$/.exec(line);
    const setting = /^\s*#\+([a-z_-]{1,40})(?:\[[^\]]{0,200}\])?:\s*(.*)$/i.exec(line);
    if (blockKind !== undefined) {
      flush();
      block = blockKind.toLowerCase();
    } else if (heading !== null) {
      flush();
      builder.add('heading', inline(headlineOf(heading[2] ?? '')), { level: Math.min(6, heading[1]?.length ?? 1) });
    } else if (setting !== null) {
      flush();
      const name = METADATA_KEYWORDS[(setting[1] ?? '').toLowerCase()];
      const value = inline((setting[2] ?? '').trim());
      if (setting[1]?.toLowerCase() === 'caption') builder.add('paragraph', value);
      else if (name !== undefined && value !== '') settings[name] ??= value;
    } else if (/^\s*:(?!END:)[\w-]{1,40}:\s*$/i.test(line)) {
      flush();
      isDrawer = true;
    } else if (/^\s*(?:#\s|#$)/.test(line)) flush();
    else if (/^\s*\|/.test(line)) put('table', line);
    else if (/^\s*:(?:\s|$)/.test(line)) put('code', line.replace(/^\s*: ?/, ''));
    else if (/^\s*(?:[-+]|\d{1,5}[.)]|(?<=\s)\*)\s+\S/.test(line)) put('list', line);
    else if (line.trim() === '' || /^\s*-{5,}\s*$/.test(line)) flush();
    // Indented lines below an item belong to it.
    else put(kind === 'list' && open.length > 0 && /^\s/.test(line) ? 'list' : 'paragraph', line);
  }
  flush();
  return settings;
}

const VERBATIM = new Set(['src', 'example', 'export', 'verse']);

/** The headline without TODO state, priority and tags. */
const headlineOf = (text: string): string =>
  text
    .replace(/^(?:TODO|DONE|NEXT|WAITING|CANCELLED|CANCELED|HOLD)\s+/, '')
    .replace(/^\[#[A-Z0-9]\]\s*/, '')
    .replace(/\s+:[\w@#%:]{1,200}:\s*$/, '');

function tableOf(lines: readonly string[]): string {
  const rows = lines
    .filter((line) => !/^\s*\|[-+|]{2,}/.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^\|/, '')
        .replace(/\|$/, '')
        .split('|')
        .map((cell) => inline(cell.trim())),
    );
  const width = rows.reduce((max, row) => Math.max(max, row.length), 0);
  const [header = [], ...body] = rows;
  return rows.length === 0 ? '' : markdownTable([...header, ...Array<string>(width - header.length).fill('')], body);
}

/** Replaces links by their text, and converts code and bold to Markdown. */
const inline = (text: string): string =>
  text
    .replaceAll(/\[\[([^\]\n]{1,2000})\]\[([^\]\n]{1,2000})\]\]/g, '$2')
    .replaceAll(/\[\[([^\]\n]{1,2000})\]\]/g, '$1')
    .replaceAll(/(?<=^|[\s("'-])[=~](\S(?:[^\n=~]{0,500}\S)?)[=~](?=$|[\s.,;:!?)"'-])/gm, '`$1`');
