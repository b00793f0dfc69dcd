import { backgroundOf, hasSheets, isColouredAway, isRecolouredBelow } from './html-colours.ts';
import { measurePage } from './html-measure.ts';
import { childrenOf, type HtmlElement, type HtmlNode, isElement } from './html-nodes.ts';

const HIDING_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|font-size\s*:\s*0(?:\.0+)?(?:px|em|rem|pt|%)?\s*(?:;|!|$)|(?:text-indent|left|top|right|margin-left|margin-top)\s*:\s*-\d{3,}|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01]|clip-path\s*:\s*inset\(\s*(?:50|100)%|transform\s*:\s*scale\(\s*0\s*\))/i;
const TINY_BOX = /(?:^|;)\s*(?:width|height|max-height)\s*:\s*[01]px/i;
/** Common class names for content hidden from view, e.g. for screen readers. */
const HIDING_NAME =
  /(?:^|\s)(?:sr-only|visually-hidden|visuallyhidden|screen-reader-text|screen-reader-only|u-hidden|is-hidden|element-invisible|a11y-hidden|d-none|hidden)(?:\s|$)/i;
/** Elements that are never rendered, so their text is not hidden text. */
const NOT_TEXT = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'option', 'svg']);

/**
 * Zero-width and direction-changing characters, tags and variation selectors; joiners are kept, because some scripts
 * need them.
 */
const INVISIBLE =
  /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

/** When more than this share of a page is hidden, a script is assumed to show it. */
const MAX_HIDDEN = 0.5;

/**
 * Removes invisible content, where instructions to models (prompt injection) could be hidden; returns the number of
 * characters removed.
 */
export function removeHidden(root: HtmlNode): number {
  const byName = hiddenByStylesheet(root);
  // Measured once, because nested hidden elements must not be counted repeatedly.
  const measures = measurePage(root);
  const lengthOf = (node: HtmlNode): number => measures.of(node)?.text ?? 0;
  const total = lengthOf(root);
  let removed = 0;
  const sheets = hasSheets(root);
  const visit = (node: HtmlNode, parentBackground: string | undefined): void => {
    if (node.type === 'text') {
      const { data } = node;
      const visible = data.replaceAll(INVISIBLE, '');
      removed += data.length - visible.length;
      if (visible.length !== data.length) node.data = visible;
      return;
    }
    for (const child of [...childrenOf(node)]) {
      if (isElement(child)) {
        if (NOT_TEXT.has(child.name)) continue;
        const background = backgroundOf(child, parentBackground, sheets);
        if (isHidden(child, byName) || (isColouredAway(child, background) && !isRecolouredBelow(child, sheets))) {
          const length = lengthOf(child);
          if (length <= total * MAX_HIDDEN) {
            removed += length;
            measures.remove(child);
            continue;
          }
        }
        visit(child, background);
      } else visit(child, parentBackground);
    }
  };
  visit(root, sheets ? undefined : 'ffffff');
  return removed;
}

function isHidden({ name, attribs }: HtmlElement, byName: ReadonlySet<string>): boolean {
  if (name === 'html' || name === 'body' || name === 'main') return false;
  if ('hidden' in attribs && attribs['hidden'] !== 'until-found') return true;
  if (attribs['aria-hidden'] === 'true' && name !== 'pre' && name !== 'code') return true;
  const { style, class: classes = '', id = '' } = attribs;
  if (
    style !== undefined &&
    (HIDING_STYLE.test(style) || (TINY_BOX.test(style) && /overflow\s*:\s*hidden/i.test(style)))
  ) {
    return true;
  }
  if (HIDING_NAME.test(classes)) return true;
  if (byName.size === 0) return false;
  return byName.has(`#${id}`) || classes.split(/\s+/).some((each) => byName.has(`.${each}`));
}

const RULE = /([^{}]{1,2000})\{([^{}]{0,5000})\}/g;
const MAX_STYLE = 200_000;

/** Single classes and ids hidden by the page's own style blocks; rules for print or small screens do not count. */
function hiddenByStylesheet(root: HtmlNode): ReadonlySet<string> {
  const hidden = new Set<string>();
  const visit = (node: HtmlNode): void => {
    for (const child of childrenOf(node)) {
      if (!isElement(child)) continue;
      if (child.name === 'style') {
        if (child.attribs['media'] !== undefined && !/^(?:all|screen)$/i.test(child.attribs['media'])) continue;
        for (const name of hidingSelectors(rawText(child).slice(0, MAX_STYLE))) hidden.add(name);
      } else visit(child);
    }
  };
  visit(root);
  return hidden;
}

function hidingSelectors(css: string): string[] {
  const plain = withoutConditions(css.replaceAll(/\/\*[\s\S]*?(?:\*\/|$)/g, ''));
  return [...plain.matchAll(RULE)].flatMap(([, selectors = '', body = '']) =>
    HIDING_STYLE.test(body)
      ? selectors.split(',').flatMap((selector) => /^\s*(?:[a-z]+)?([.#][\w-]+)\s*$/i.exec(selector)?.[1] ?? [])
      : [],
  );
}

/** Rules within `@media` and the like apply only conditionally. */
function withoutConditions(css: string): string {
  let kept = '';
  let depth = 0;
  let start = 0;
  for (let at = css.indexOf('@'); at !== -1; at = css.indexOf('@', start)) {
    const open = css.indexOf('{', at);
    const end = css.indexOf(';', at);
    kept += css.slice(start, at);
    if (open === -1 || (end !== -1 && end < open)) {
      start = end === -1 ? css.length : end + 1;
      continue;
    }
    depth = 1;
    let offset = open + 1;
    for (; offset < css.length && depth > 0; offset++) {
      if (css[offset] === '{') depth++;
      else if (css[offset] === '}') depth--;
    }
    start = offset;
  }
  return kept + css.slice(start);
}

const rawText = (element: HtmlElement): string =>
  childrenOf(element)
    .map((child) => (child.type === 'text' ? child.data : ''))
    .join('');
