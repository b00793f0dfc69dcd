import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import type { Metadata } from '../../documents/document.ts';
import { ServiceError } from '../../errors.ts';
import { decodeText } from './decode-text.ts';
import { readFrontMatter } from './front-matter.ts';
import type { Block, Reader } from './reader.ts';

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root['children'][number];

/** Markdown, kept as it is but for the front matter, which becomes metadata. */
export const markdownReader: Reader = {
  types: ['md'],
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const { body, metadata } = readFrontMatter(decoded.text);
    const blocks = markdownBlocks(body);
    const title = titleOf(metadata, blocks);
    return { text: body, blocks, pages: [], ...(title === undefined ? {} : { title }), metadata };
  },
};

/** The blocks of the outermost level, where the parser found them. */
export function markdownBlocks(text: string): Block[] {
  const root = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return root.children.flatMap((node): Block[] => {
    const start = node.position?.start.offset;
    const end = node.position?.end.offset;
    if (start === undefined || end === undefined) return [];
    if (node.type !== 'heading') return [{ kind: KINDS[node.type] ?? 'paragraph', start, end }];
    return [{ kind: 'heading', start, end, level: node.depth, label: wordsOf(node) }];
  });
}

const KINDS: Readonly<Partial<Record<Node['type'], Block['kind']>>> = {
  list: 'list',
  table: 'table',
  code: 'code',
  blockquote: 'quote',
};

function wordsOf(node: Node): string {
  if ('value' in node) return node.type === 'html' ? '' : node.value;
  return 'children' in node ? node.children.map(wordsOf).join('').replace(/\s+/g, ' ').trim() : '';
}

function titleOf(metadata: Metadata, blocks: readonly Block[]): string | undefined {
  const named = metadata['title'];
  if (typeof named === 'string' && named !== '') return named;
  return blocks.find(({ kind, level }) => kind === 'heading' && level === 1)?.label;
}
