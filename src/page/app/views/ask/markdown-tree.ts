import MarkdownIt, { type Token } from 'markdown-it';
import { formulaRule } from './formula-rule.ts';
import { type MarkedSource, splitAtSigns, withoutSigns } from './insert-markers.ts';

/** Render tree of an answer. Values instead of HTML, so that nothing in it can execute. */
export type Node =
  | string
  | {
      readonly kind: 'element';
      readonly tag: Tag;
      readonly href?: string;
      readonly start?: number;
      /** Of a cell of a table, if it is not at the start. */
      readonly align?: 'center' | 'right';
      readonly children: readonly Node[];
    }
  | { readonly kind: 'mark'; readonly index: number }
  | { readonly kind: 'unsupported'; readonly index: number; readonly children: readonly Node[] }
  | Formula
  /** A citation with the punctuation behind it, between which a line should not end. */
  | { readonly kind: 'together'; readonly children: readonly Node[] }
  /** After an unsupported sentence. */
  | { readonly kind: 'note'; readonly index: number };

interface Formula {
  readonly kind: 'formula';
  /** In TeX. */
  readonly source: string;
  /** Whether it stands on a line of its own. */
  readonly isDisplay: boolean;
}

const tags = [
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'li',
  'blockquote',
  'pre',
  'code',
  'em',
  'strong',
  's',
  'a',
  'br',
  'hr',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
] as const;
export type Tag = (typeof tags)[number];

// Images would be fetched from other hosts; they are shown as links instead.
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable('image').use(formulaRule);

interface Open {
  readonly token: Token | undefined;
  readonly children: Node[];
}

/** Renders Markdown with inserted signs. */
export function markdownTree(placed: MarkedSource): readonly Node[] {
  const root: Open = { token: undefined, children: [] };
  const stack: Open[] = [root];
  let unsupported: number | undefined;

  const top = (): Open => stack.at(-1) ?? root;
  const add = (node: Node): void => void top().children.push(node);

  const addText = (text: string): void => {
    for (const piece of splitAtSigns(text)) {
      if (piece.kind === 'text') {
        add(
          unsupported === undefined ? piece.text : { kind: 'unsupported', index: unsupported, children: [piece.text] },
        );
      } else if (piece.kind === 'mark') add({ kind: 'mark', index: piece.index });
      else if (piece.kind === 'start') unsupported = piece.index;
      else {
        if (unsupported === piece.index) add({ kind: 'note', index: piece.index });
        unsupported = undefined;
      }
    }
  };

  const walk = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      if (token.hidden) continue;
      if (token.nesting === 1) stack.push({ token, children: [] });
      else if (token.nesting === -1) {
        const { token: opened, children } = stack.pop() ?? root;
        const node = opened && element(opened, children, placed);
        if (node === undefined) top().children.push(...children);
        else add(node);
        if (token.type === 'tr_close') unsupported = undefined;
      } else if (token.type === 'inline') {
        walk(token.children ?? []);
        // A sentence ends with its block at the latest, or with the row of a table.
        if (!isCell(top().token)) unsupported = undefined;
      } else if (token.type === 'formula') {
        const isDisplay = Object(token.meta).isDisplay === true;
        add({ kind: 'formula', source: withoutSigns(token.content, placed.written), isDisplay });
      } else if (token.type === 'softbreak') add('\n');
      else if (token.type === 'hardbreak' || token.type === 'hr')
        add({ kind: 'element', tag: token.type === 'hr' ? 'hr' : 'br', children: [] });
      else if (token.type === 'code_inline') add(code(token, placed));
      else if (token.type === 'fence' || token.type === 'code_block') {
        add({ kind: 'element', tag: 'pre', children: [code(token, placed)] });
      } else addText(token.content);
    }
  };

  walk(markdown.parse(placed.source, {}));
  return keepTogether(root.children);
}

const isCell = (token: Token | undefined): boolean => token?.tag === 'td' || token?.tag === 'th';

const code = ({ content }: Token, { written }: MarkedSource): Node => ({
  kind: 'element',
  tag: 'code',
  children: [withoutSigns(content, written)],
});

/** Undefined if only the content is shown: for unknown elements and links with unsafe targets. */
function element(token: Token, inside: readonly Node[], { written }: MarkedSource): Node | undefined {
  const tag = tags.find((each) => each === token.tag);
  const children = keepTogether(inside);
  if (tag === undefined) return undefined;
  if (tag === 'a') {
    const href = withoutSigns(decodeSigns(String(token.attrGet('href') ?? '')), written);
    return isSafe(href) ? { kind: 'element', tag, href, children } : undefined;
  }
  const start = tag === 'ol' ? Number(token.attrGet('start') ?? 1) : 1;
  const [, align] = /text-align:(center|right)/.exec(String(token.attrGet('style') ?? '')) ?? [];
  const aligned = align === 'center' || align === 'right' ? ({ align } as const) : {};
  return { kind: 'element', tag, ...(start !== 1 && { start }), ...aligned, children };
}

/** Joins each last citation or note before punctuation with it. */
function keepTogether(nodes: readonly Node[]): readonly Node[] {
  const joined: Node[] = [];
  for (const node of nodes) {
    const before = joined.at(-1);
    const [punctuation = ''] = typeof node === 'string' ? (/^[.,;:!?)\]}»”’。，、；：！？]+/.exec(node) ?? []) : [];
    const isJoined =
      punctuation !== '' && typeof before === 'object' && (before.kind === 'mark' || before.kind === 'note');
    if (!isJoined || typeof node !== 'string') joined.push(node);
    else {
      joined.splice(-1, 1, { kind: 'together', children: [before, punctuation] });
      if (punctuation.length < node.length) joined.push(node.slice(punctuation.length));
    }
  }
  return joined;
}

const isSafe = (href: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(href);

// URLs are percent-encoded, including the signs in them.
const decodeSigns = (href: string): string =>
  href.replaceAll(/%E2%9F%A6|%E2%9F%A7|%EE%80%80|%EE%80%81/gi, decodeURIComponent);
