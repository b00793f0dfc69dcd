import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';
import { parseDocument } from 'yaml';
import type { Metadata } from '../../../documents/document.ts';
import { ServiceError } from '../../../errors.ts';
import { oneLine } from '../../../shared/text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import { paragraphsOf } from '../plain/text.ts';
import type { Block, Reader } from '../reader.ts';
import { type MarkdownPiece, markdownPieces } from './markdown-pieces.ts';

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root['children'][number];

/** Markdown, unchanged except for the front matter, which becomes metadata. */
export const markdownReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const { body, metadata } = readFrontMatter(decoded.text);
    const blocks = markdownBlocks(body);
    const title = titleOf(metadata, blocks);
    return { text: body, blocks, pages: [], ...(title === undefined ? {} : { title }), metadata };
  },
};

/** Inline tokens are not needed, and hostile ones make the parser slow. */
const BLOCKS_ONLY = {
  disable: {
    null: [
      'attention',
      'autolink',
      'characterEscape',
      'characterReference',
      'codeText',
      'definition',
      'hardBreakEscape',
      'htmlText',
      'labelEnd',
      'labelStartImage',
      'labelStartLink',
    ],
  },
};

/** The parser's time is quadratic in the nesting depth; real documents do not nest fifty quotes. */
const NESTED_PAST_REASON = /^(?:[ \t]{0,4}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){50}/m;
/** Each row of a table costs the parser kilobytes and 0.1 ms. Pieces with more rows, or after so many, are not parsed. */
const MAX_PIECE_ROWS = 20_000;
const MAX_ROWS = 200_000;

/** The top-level blocks at their offsets. */
export function markdownBlocks(text: string): Block[] {
  if (NESTED_PAST_REASON.test(text)) return paragraphsOf(text);
  let rows = 0;
  return markdownPieces(text).flatMap((piece): Block[] => {
    const { start, end, kind } = piece;
    if (kind !== undefined) return [{ kind, start, end }];
    const own = countTableLines(text.slice(start, end));
    if (own > MAX_PIECE_ROWS || rows > MAX_ROWS) {
      return paragraphsOf(text.slice(start, end)).map((block) => ({
        ...block,
        start: start + block.start,
        end: start + block.end,
      }));
    }
    rows += own;
    return blocksOfPiece(text, piece);
  });
}

function blocksOfPiece(text: string, piece: MarkdownPiece): Block[] {
  const root = fromMarkdown(text.slice(piece.start, piece.end), {
    extensions: [gfmTable(), BLOCKS_ONLY],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
  return root.children.flatMap((node): Block[] => {
    const from = node.position?.start.offset;
    const to = node.position?.end.offset;
    if (from === undefined || to === undefined) return [];
    const start = piece.start + from;
    const end = piece.start + to;
    if (node.type !== 'heading') return [{ kind: KINDS[node.type] ?? 'paragraph', start, end }];
    return [{ kind: 'heading', start, end, level: node.depth, label: labelOf(text.slice(start, end)) }];
  });
}

function countTableLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n|'); at !== -1; at = text.indexOf('\n|', at + 1)) count++;
  return count;
}

const MAX_LABEL_SOURCE = 500;

/** The text of a heading, without the markup of links and emphasis. */
function labelOf(source: string): string {
  const root = fromMarkdown(source.slice(0, MAX_LABEL_SOURCE), {
    extensions: [gfmTable()],
    mdastExtensions: [gfmTableFromMarkdown()],
  });
  return root.children.map(wordsOf).join(' ');
}

const KINDS: Readonly<Partial<Record<Node['type'], Block['kind']>>> = {
  list: 'list',
  table: 'table',
  code: 'code',
  blockquote: 'quote',
};

function wordsOf(node: Node): string {
  if ('value' in node) return node.type === 'html' ? '' : node.value;
  return 'children' in node ? oneLine(node.children.map(wordsOf).join('')) : '';
}

function titleOf(metadata: Metadata, blocks: readonly Block[]): string | undefined {
  const named = metadata['title'];
  if (typeof named === 'string' && named !== '') return named;
  return blocks.find(({ kind, level }) => kind === 'heading' && level === 1)?.label;
}

const FRONT_MATTER = /^\s*---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const MAX_LENGTH = 20_000;
/** Nested aliases can expand a short text exponentially. */
const MAX_ALIASES = 20;

/**
 * Splits the YAML front matter off a Markdown text. A block that is invalid YAML, or has no fields, stays in the text.
 */
function readFrontMatter(text: string): { readonly body: string; readonly metadata: Metadata } {
  const match = FRONT_MATTER.exec(text.slice(0, MAX_LENGTH));
  const metadata = match?.[1] === undefined ? undefined : parseFields(match[1]);
  if (match === null || metadata === undefined) return { body: text, metadata: {} };
  return { body: text.slice(match[0].length), metadata };
}

function parseFields(source: string): Metadata | undefined {
  try {
    const document = parseDocument(source, { logLevel: 'silent', prettyErrors: false, uniqueKeys: false });
    if (document.errors.length > 0) return undefined;
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    // Values that JSON cannot represent, such as infinite numbers, become null.
    const fields = JSON.parse(JSON.stringify(value)) as Metadata;
    return Object.keys(fields).length === 0 ? undefined : fields;
  } catch {
    // Nested too deeply, or with too many aliases.
    return undefined;
  }
}
