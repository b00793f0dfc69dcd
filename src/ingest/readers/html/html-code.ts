import type { CheerioAPI } from 'cheerio';
import {
  childrenOf,
  elementsOf,
  type HtmlElement,
  type HtmlNode,
  hasBelow,
  isElement,
  nameOf,
  textBelow,
} from './html-nodes.ts';

/** Selects columns of line numbers next to code. */
const GUTTERS = [
  '.lineno, .linenos, .lineNumber, .line-number, .line-numbers-rows, .LineNumbers, .gutter, .rouge-gutter, .blob-num',
  '.hljs-ln-numbers, .react-syntax-highlighter-line-number, .linenumber, .ln-num, .lnt, .ln, .line-no, .code-line-number',
].join(', ');
const LINE_NAME =
  /(?:^|\s)(?:line|code-?line|token-line|view-line|hljs-ln-line|cl|blob-code-inner|react-code-text)(?:$|\s)/i;
const LANGUAGE =
  /(?:^|\s)(?:lang(?:uage)?-|highlight-source-|highlight-text-|brush:\s*|sourceCode\s+|src-)([\w+#.-]+)/i;
const ANCHOR_NAME = /(?:^|\s)(?:headerlink|hash-link|header-anchor|anchorjs-link|anchor)(?:$|\s)/;
const BLOCK = new Set(['div', 'p', 'li', 'tr', 'section', 'article']);

/** Removes line numbers next to code, and the `#` and `¶` with which headings link to themselves. */
export function removeMarks($: CheerioAPI): void {
  const known = new Map<HtmlNode, boolean>();
  $(GUTTERS)
    .filter(
      (_, element) => /^[\s\d.:|]*$/.test(textBelow(element)) && isElement(element) && isBesideCode(element, known),
    )
    .remove();
  $('a[href*="#"]')
    .filter((_, element) => {
      const text = textBelow(element).trim();
      const isSign = /^(?:[#¶§🔗⚓][\ufe0e\ufe0f]?){1,3}$/u.test(text);
      return (
        isSign ||
        (/^(?:(?:permalink|direct link|link|anchor)\b.{0,80})$/i.test(text) &&
          ANCHOR_NAME.test(nameOf(element)) &&
          !isWholeHeading(element, text))
      );
    })
    .remove();
}

/** Whether there is code nearby; some layouts use the same class names for columns of figures. */
function isBesideCode(element: HtmlElement, known: Map<HtmlNode, boolean>): boolean {
  if (/(?:^|\s)blob-num(?:$|\s)/.test(nameOf(element))) return true;
  let node: HtmlNode | null = element;
  for (let level = 0; node !== null && isElement(node) && level < MAX_LEVELS; level++, node = node.parent) {
    if (node.name === 'pre' || node.name === 'code') return true;
    const isNear: boolean = known.get(node) ?? (hasBelow(node, 'pre') || hasBelow(node, 'code'));
    known.set(node, isNear);
    if (isNear || node.name === 'table') return isNear;
  }
  return false;
}

/** Levels between a line number and the row, table or box that also contains the code. */
const MAX_LEVELS = 4;

/** Whether the link is the whole heading, as on some pages; it is then kept. */
function isWholeHeading({ parent }: HtmlElement, text: string): boolean {
  return parent !== null && isElement(parent) && /^h[1-6]$/.test(parent.name) && textBelow(parent).trim() === text;
}

/** The text of a `<pre>` with its lines, whether they end with a line break, `<br>` or an element of their own. */
export function codeText(pre: HtmlNode): string {
  // Collected in parts, because reading the end of a growing string is slow.
  const parts: string[] = [];
  const write = (part: string) => {
    if (part !== '') parts.push(part);
  };
  const isWithinLine = () => parts.at(-1)?.endsWith('\n') === false;
  const visit = (node: HtmlNode): void => {
    if (node.type === 'text') {
      write(node.data);
      return;
    }
    if (!isElement(node)) return;
    if (node.name === 'br') {
      write('\n');
      return;
    }
    if (node.name === 'script' || node.name === 'style' || node.name === 'button') return;
    const isLine = BLOCK.has(node.name) || (LINE_NAME.test(nameOf(node)) && isOneOfMany(node));
    if (isLine && isWithinLine()) write('\n');
    const start = parts.length;
    for (const child of childrenOf(node)) visit(child);
    if (!isLine) return;
    // The element of an empty line also ends with a line break.
    if (!breaksAfter(node) && (parts.length === start || isWithinLine())) write('\n');
  };
  for (const child of childrenOf(pre)) visit(child);
  return parts.join('');
}

/** Whether an adjacent element has the same name, as the lines of code do. */
const isOneOfMany = ({ name, parent, prev, next }: HtmlElement): boolean =>
  [prev, next, prev?.prev, next?.next].some(
    (other) => other !== null && other !== undefined && isElement(other) && other.name === name,
  ) && parent !== null;

const breaksAfter = ({ next }: HtmlElement): boolean => next?.type === 'text' && /^[ \t]*\r?\n/.test(next.data);

/** The language of code as highlighters name it, on the `<pre>`, its `<code>` or the elements around it. */
export function codeLanguage(pre: HtmlElement): string | undefined {
  const ancestors = [pre.parent, pre.parent?.parent].filter(
    (node) => node !== null && node !== undefined && isElement(node),
  );
  for (const element of [...elementsOf(pre), pre, ...ancestors]) {
    if (!isElement(element)) continue;
    const { attribs } = element;
    const named = attribs['data-lang'] ?? attribs['data-language'] ?? LANGUAGE.exec(attribs['class'] ?? '')?.[1];
    const name = named?.toLowerCase();
    if (name !== undefined && /^[\w+#.-]{1,20}$/.test(name) && name !== 'none') return name;
  }
  return undefined;
}
