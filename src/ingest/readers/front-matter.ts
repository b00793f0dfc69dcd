import type { Json, Metadata } from '../../documents/document.ts';

const FRONT_MATTER = /^\s*---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const MAX_LENGTH = 20_000;

/**
 * Takes the YAML front matter off a Markdown text. Of YAML, what front matter uses: `name: value`, lists in brackets or
 * on lines of their own. A block with anything else is left in the text, as it is probably none.
 */
export function readFrontMatter(text: string): { readonly body: string; readonly metadata: Metadata } {
  const match = FRONT_MATTER.exec(text.slice(0, MAX_LENGTH));
  const metadata = match?.[1] === undefined ? undefined : parseFields(match[1]);
  if (match === null || metadata === undefined) return { body: text, metadata: {} };
  return { body: text.slice(match[0].length), metadata };
}

function parseFields(source: string): Metadata | undefined {
  const fields = new Map<string, Json>();
  let last = '';
  for (const line of source.split('\n')) {
    if (line.trim() === '' || /^\s*#/.test(line)) continue;
    const field = /^([\p{L}_][\p{L}\p{N}_ .-]*?)\s*:(?:\s+(.*))?$/u.exec(line);
    const item = /^\s*-\s+(.*)$/.exec(line);
    if (field?.[1] !== undefined) {
      last = field[1];
      fields.set(last, field[2] === undefined || field[2].trim() === '' ? '' : readValue(field[2].trim()));
    } else if (item?.[1] !== undefined && last !== '') {
      const before = fields.get(last);
      fields.set(last, [...(Array.isArray(before) ? (before as Json[]) : []), readValue(item[1].trim())]);
    } else if (!/^\s/.test(line)) return undefined;
  }
  return fields.size === 0 ? undefined : Object.fromEntries(fields);
}

function readValue(source: string): Json {
  const quoted = /^(["'])(.*)\1$/.exec(source)?.[2];
  if (quoted !== undefined) return quoted;
  const list = /^\[(.*)\]$/.exec(source)?.[1];
  if (list !== undefined)
    return list
      .split(',')
      .map((member) => readValue(member.trim()))
      .filter((member) => member !== '');
  if (/^-?(?:0|[1-9]\d{0,14})(?:\.\d+)?$/.test(source)) return Number(source);
  return source === 'true' ? true : source === 'false' ? false : source === 'null' || source === '~' ? null : source;
}
