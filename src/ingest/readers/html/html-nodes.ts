import type { load } from 'cheerio';

/** A node of a parsed page; the parser's own types, reached through cheerio. */
export type HtmlNode = Exclude<Parameters<typeof load>[0], string | Buffer | readonly unknown[]>;
export type HtmlElement = Extract<HtmlNode, { readonly attribs: object }>;

export const isElement = (node: HtmlNode): node is HtmlElement => 'attribs' in node;
export const childrenOf = (node: HtmlNode): readonly HtmlNode[] => ('children' in node ? node.children : []);

/** All text below a node, without scripts; iterative, because pages can be nested deeper than the stack allows. */
export function textBelow(root: HtmlNode): string {
  const parts: string[] = [];
  const open: HtmlNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'text') parts.push(node.data);
    else if (!isElement(node) || (node.name !== 'script' && node.name !== 'style')) {
      const children = childrenOf(node);
      for (let index = children.length - 1; index >= 0; index--) {
        const child = children[index];
        if (child !== undefined) open.push(child);
      }
    }
  }
  return parts.join('');
}

/** Removes a node from its page. */
export function detach(node: HtmlNode): void {
  const { parent, prev, next } = node;
  if (parent === null) return;
  const at = parent.children.indexOf(node as (typeof parent.children)[number]);
  if (at !== -1) parent.children.splice(at, 1);
  if (prev !== null) prev.next = next;
  if (next !== null) next.prev = prev;
  node.parent = null;
  node.prev = null;
  node.next = null;
}

/** The class and id of an element, with which authors name the parts of a page. */
export const nameOf = ({ attribs }: HtmlElement): string => `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`;
export const elementsOf = (node: HtmlNode): HtmlElement[] => childrenOf(node).filter(isElement);

/** The elements below a node that pass a test, in document order. */
export function elementsWhere(root: HtmlNode, test: (element: HtmlElement) => boolean): HtmlElement[] {
  const found: HtmlElement[] = [];
  const visit = (node: HtmlNode): void => {
    for (const child of childrenOf(node)) {
      if (!isElement(child)) continue;
      if (test(child)) found.push(child);
      visit(child);
    }
  };
  visit(root);
  return found;
}

/** Whether a node has a descendant with this tag name. */
export function hasBelow(node: HtmlNode, name: string): boolean {
  return elementsOf(node).some((child) => child.name === name || hasBelow(child, name));
}

/** Whether an element is a check box that only shows if a task is done, unlike a form field. */
export const isTaskBox = ({ name, attribs }: HtmlElement): boolean =>
  name === 'input' &&
  attribs['type'] === 'checkbox' &&
  ('disabled' in attribs || /task-list/.test(attribs['class'] ?? ''));
