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
/** Below this sum of the differences in red, green and blue, text is unreadable. */
const MIN_CONTRAST = 24;

/**
 * Whether the inline style of an element gives its text the colour of the background. The background is the nearest one
 * declared inline around the element, white if the page declares none, and undefined if style sheets may declare one.
 */
export function isColouredAway({ name, attribs }: HtmlElement, background: string | undefined): boolean {
  const declared = last(COLOUR, attribs['style']) ?? (name === 'font' ? attribs['color'] : undefined);
  if (declared === undefined) return false;
  if (/^\s*transparent\s*$/i.test(declared)) return !/text-shadow|background-clip/i.test(attribs['style'] ?? '');
  const colour = hex(declared);
  if (/^\s*rgba\((?:[^,]+,){3}\s*0(?:\.0+)?\s*\)/i.test(declared)) return true;
  return colour !== undefined && background !== undefined && difference(colour, background) < MIN_CONTRAST;
}

/** The background of the content of an element; undefined for pictures and gradients. */
export function backgroundOf(
  { attribs }: HtmlElement,
  parentBackground: string | undefined,
  sheets: boolean,
): string | undefined {
  if (attribs['background'] !== undefined || PICTURE.test(attribs['style'] ?? '')) return undefined;
  const declared = last(BACKGROUND, attribs['style']) ?? attribs['bgcolor'];
  if (declared !== undefined)
    return /^\s*(?:none|transparent|inherit)\s*$/i.test(declared) ? parentBackground : hex(declared);
  return sheets && (attribs['class'] !== undefined || attribs['id'] !== undefined) ? undefined : parentBackground;
}

/** Whether a descendant has a colour or background of its own, so that it may be visible. */
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
