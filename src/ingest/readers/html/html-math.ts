import type { CheerioAPI } from 'cheerio';
import { oneLine } from '../../../shared/text.ts';
import { childrenOf, elementsOf, type HtmlElement, type HtmlNode, isElement, textBelow } from './html-nodes.ts';

/** Longer TeX sources could carry hidden text. */
const MAX_TEX = 2_000;
/** Elements that a script rendered from a source next to them. */
const DRAWN = '.MathJax, .MathJax_Display, .MathJax_SVG, .MathJax_Preview, .MathJax_CHTML, .mjx-chtml, .katex-html';
const FORMULA = '.katex, .mwe-math-element, mjx-container, math';

/**
 * Replaces formulas by their TeX in dollar signs, or by a readable line if the page has no TeX. Must run before hidden
 * content is removed, because pages show a rendered formula and hide its source.
 */
export function writeFormulas($: CheerioAPI): void {
  $(DRAWN).each((_, drawn) => {
    const math = $(drawn).find('math').first();
    if (hasSourceBeside(drawn) || $(drawn).is('.MathJax_Preview')) $(drawn).remove();
    else if (math.length > 0) $(drawn).replaceWith(math);
  });
  $('script[type^="math/tex"]').each((_, script) => {
    replace(script, textBelowScript(script), /mode=display/.test(script.attribs['type'] ?? ''));
  });
  $(FORMULA).each((_, formula) => {
    if (formula.parent === null || $(formula).parents(FORMULA).length > 0) return;
    const isBlock =
      $(formula).closest('.katex-display, .mwe-math-element-block, .mwe-math-mathml-display').length > 0 ||
      formula.attribs['display'] === 'block' ||
      formula.attribs['display'] === 'true' ||
      $(formula).find('math[display=block]').length > 0;
    const annotation = $(formula).find('annotation[encoding="application/x-tex"]').first().text();
    const math = formula.name === 'math' ? $(formula) : $(formula).find('math').first();
    const tex = annotation || math.attr('alttext') || $(formula).find('img[alt]').first().attr('alt');
    if (tex !== undefined && tex.trim() !== '') replace(formula, tex, isBlock);
    else $(formula).replaceWith(textNode(readable(math.get(0) ?? formula)));
  });

  function replace(element: HtmlElement, tex: string, isBlock: boolean): void {
    const source = oneLine(tex)
      .replace(/^\{\\(?:displaystyle|textstyle)\s*(.*)\}$/, '$1')
      .trim();
    if (source.length > MAX_TEX) $(element).remove();
    else $(element).replaceWith(textNode(isBlock ? `$$${source}$$` : `$${source}$`));
  }

  function textNode(text: string) {
    return $('<span>').text(text);
  }
}

/** Whether the source of a rendered formula is next to it; saved pages may have lost it. */
function hasSourceBeside({ prev, next }: HtmlElement): boolean {
  return [prev, next, next?.next].some(
    (node) =>
      node !== null &&
      node !== undefined &&
      isElement(node) &&
      (/^math\//.test(node.attribs['type'] ?? '') || /(?:^|\s)katex-mathml(?:\s|$)/.test(node.attribs['class'] ?? '')),
  );
}

const textBelowScript = (script: HtmlElement): string =>
  childrenOf(script)
    .map((child) => (child.type === 'text' ? child.data : ''))
    .join('');

/** MathML on one line: `a/b`, `x^2`, `x_1`, `sqrt(x)`. */
function readable(node: HtmlNode): string {
  if (!isElement(node)) return textBelow(node).trim();
  const parts = elementsOf(node).map(readable);
  const [first = '', second = '', third = ''] = parts;
  switch (node.name) {
    case 'mfrac':
      return `${grouped(first)}/${grouped(second)}`;
    case 'msup':
    case 'mover':
      return `${first}^${grouped(second)}`;
    case 'msub':
    case 'munder':
      return `${first}_${grouped(second)}`;
    case 'msubsup':
    case 'munderover':
      return `${first}_${grouped(second)}^${grouped(third)}`;
    case 'msqrt':
      return `sqrt(${parts.join('')})`;
    case 'mroot':
      return `root(${first}, ${second})`;
    case 'mtr':
      return `${parts.join(', ')}; `;
    case 'annotation':
    case 'annotation-xml':
      return '';
    default:
      return childrenOf(node).map(readable).join('');
  }
}

const grouped = (text: string): string => (/^[\p{L}\p{N}.]*$/u.test(text) ? text : `(${text})`);
