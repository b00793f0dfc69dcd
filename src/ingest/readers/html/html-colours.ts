import { childrenOf, elementsOf, type HtmlElement, type HtmlNode, isElement } from './html-nodes.ts';

const COLOUR = /(?:^|;)\s*color\s*:\s*([^;!]+)/gi;
const BACKGROUND = /(?:^|;)\s*background(?:-color)?\s*:\s*([^;!]+)/gi;
const PICTURE = /(?:^|;)\s*background(?:-image)?\s*:[^;]*(?:url|gradient|image-set)\(/i;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['white', 'ffffff'],
  ['black', '000000'],
  ['snow', 'fffafa'],
  ['ivory', 'fffff0'],
]);
/** Sum of the differences of red, green and blue below which nobody reads a text. */
const MIN_CONTRAST = 24;

/**
 * Whether text has the colour of its background, as its own style says. The background is the nearest one declared
 * inline around it; white when the page declares none at all, unknown when its style sheets may declare one, for the whole
 * page as well.
 */
export function isColouredAway({ name, attribs }: HtmlElement, background: string | undefined): boolean {
  const declared = last(COLOUR, attribs['style']) ?? (name === 'font' ? attribs['color'] : undefined);
  if (declared === undefined) return false;
  if (/^\s*transparent\s*$/i.test(declared)) return !/text-shadow|background-clip/i.test(attribs['style'] ?? '');
  const colour = hex(declared);
  if (/^\s*rgba\((?:[^,]+,){3}\s*0(?:\.0+)?\s*\)/i.test(declared)) return true;
  return colour !== undefined && background !== undefined && difference(colour, background) < MIN_CONTRAST;
}

/** The background below an element; pictures and gradients are unknown. */
export function backgroundOf(
  { attribs }: HtmlElement,
  around: string | undefined,
  sheets: boolean,
): string | undefined {
  if (attribs['background'] !== undefined || PICTURE.test(attribs['style'] ?? '')) return undefined;
  const declared = last(BACKGROUND, attribs['style']) ?? attribs['bgcolor'];
  if (declared !== undefined) return /^\s*(?:none|transparent|inherit)\s*$/i.test(declared) ? around : hex(declared);
  return sheets && (attribs['class'] !== undefined || attribs['id'] !== undefined) ? undefined : around;
}

/** Whether an element below has a colour or a background of its own, so that it may be seen. */
export function isRecolouredBelow(node: HtmlNode, sheets: boolean): boolean {
  return elementsOf(node).some(
    (child) =>
      /color|background/i.test(child.attribs['style'] ?? '') ||
      ['bgcolor', 'background', 'color', ...(sheets ? ['class'] : [])].some((name) => name in child.attribs) ||
      isRecolouredBelow(child, sheets),
  );
}

/** Of several declarations of a property, the last counts. */
const last = (property: RegExp, style = ''): string | undefined => [...style.matchAll(property)].at(-1)?.[1];

/** Whether style sheets may give elements a background. */
export function hasSheets(root: HtmlNode): boolean {
  return elementsOf(root).some(
    (child) =>
      (child.name === 'link' && /stylesheet/i.test(child.attribs['rel'] ?? '')) ||
      (child.name === 'style' &&
        childrenOf(child).some((text) => text.type === 'text' && /background/i.test(text.data))) ||
      ((child.name === 'html' || child.name === 'head' || child.name === 'body') &&
        isElement(child) &&
        hasSheets(child)),
  );
}

function hex(value: string): string | undefined {
  const word = /^[^\s(]+(?:\([^)]*\))?/.exec(value.trim().toLowerCase())?.[0] ?? '';
  const named = NAMED.get(word);
  if (named !== undefined) return named;
  const short = /^#?([\da-f])([\da-f])([\da-f])$/.exec(word);
  if (short !== null)
    return short
      .slice(1)
      .map((digit) => digit + digit)
      .join('');
  const long = /^#?([\da-f]{6})$/.exec(word)?.[1];
  if (long !== undefined) return long;
  const parts = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)\s*(?:[,/]\s*1(?:\.0+)?\s*)?\)$/.exec(word);
  return parts
    ?.slice(1, 4)
    .map((part) => Math.min(255, Number(part)).toString(16).padStart(2, '0'))
    .join('');
}

const difference = (one: string, other: string): number =>
  [0, 2, 4].reduce(
    (sum, at) =>
      sum + Math.abs(Number.parseInt(one.slice(at, at + 2), 16) - Number.parseInt(other.slice(at, at + 2), 16)),
    0,
  );
