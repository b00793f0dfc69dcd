import type { CheerioAPI } from 'cheerio';
import { oneLine } from '../../../shared/text.ts';
import {
  BOILERPLATE_NAME,
  BYLINE_NAME,
  COMMENTS_NAME,
  CONSENT_BUTTON,
  CONSENT_WORDS,
  COPYRIGHT_WORDS,
  EMPTY_WORDS,
  RAIL_HEADING,
  READ_ELSEWHERE,
} from './html-boilerplate.ts';
import { isBlock, type Measure, measure } from './html-measure.ts';
import { childrenOf, detach, type HtmlElement, type HtmlNode, isElement, textBelow } from './html-nodes.ts';

/**
 * Finds the main content of a page, without boilerplate. The page is modified: unwanted elements are removed. First by
 * names and roles, then the part with most of the prose is selected, then link lists are removed from it.
 */
export function findMainContent($: CheerioAPI): HtmlNode[] {
  const [body] = $('body').get();
  if (body === undefined) return $.root().get();
  removeTags(body);
  const total = measure(body).get(body)?.text ?? 0;
  removeByName(body, total);
  const roots = chooseRoots(body);
  for (const root of roots) tidy(root);
  return roots;
}

const NEVER_TEXT = new Set(
  'script style noscript template nav dialog iframe object embed svg canvas audio video select datalist menu'.split(
    ' ',
  ),
);
const BOILERPLATE_ROLES = new Set(
  'navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar tablist'.split(' '),
);
const PROTECTED = new Set(['html', 'body', 'main', 'article', 'h1', 'code', 'pre', 'p', 'tr', 'td', 'tbody', 'thead']);
/** An aside with notes belongs to the text; one with links does not. */
const NOTE_NAME =
  /(?:^|[\s_-])(?:note|callout|tip|warning|admonition|caution|important|info|pullquote|infobox|hint|alert)(?:$|[\s_-])/i;

const nameOf = ({ attribs }: HtmlElement): string => `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`;
const elementsOf = (node: HtmlNode): HtmlElement[] => childrenOf(node).filter(isElement);

function removeTags(node: HtmlNode): void {
  for (const child of elementsOf(node)) {
    const { name, attribs } = child;
    const isPart = name !== 'main' && name !== 'article';
    if (NEVER_TEXT.has(name) || (isPart && BOILERPLATE_ROLES.has((attribs['role'] ?? '').toLowerCase()))) detach(child);
    else removeTags(child);
  }
}

/** Content overrides names: an element named like a menu with most of the text is the text. */
const MAX_RUNNING_LINES = 0.4;
const MAX_REMOVED_SHARE = 0.97;
const NO_SENTENCE = 30;

function removeByName(body: HtmlNode, total: number): void {
  const measures = measure(body);
  const prose = measures.get(body)?.weight ?? 0;
  const doomed: { readonly element: HtmlElement; readonly weight: number }[] = [];
  const visit = (node: HtmlNode, inContent: boolean): void => {
    for (const child of elementsOf(node)) {
      const own = measures.get(child);
      if (own !== undefined && isRunningHeader(child, own)) doomed.push({ element: child, weight: own.weight });
      else visit(child, inContent || child.name === 'main' || child.name === 'article');
    }

    function isRunningHeader(element: HtmlElement, own: Measure): boolean {
      const { name } = element;
      if (PROTECTED.has(name)) return false;
      const share = own.text / Math.max(1, total);
      if (name === 'aside') return !NOTE_NAME.test(nameOf(element)) && share <= MAX_RUNNING_LINES;
      if (name === 'footer') return !isElement(node) || node.name !== 'blockquote';
      if (name === 'header') return !inContent && !hasBelow(element, 'h1') && share <= MAX_RUNNING_LINES;
      if (name === 'form') return own.weight < 400 || own.linked > own.text / 2;
      if (isConsent(element, own, share)) return true;
      const names = nameOf(element);
      if (names.length < 3) return false;
      if (COMMENTS_NAME.test(names)) return prose - own.weight > 500;
      if (!BOILERPLATE_NAME.test(names) || hasBelow(element, 'main') || hasBelow(element, 'article')) return false;
      return share <= MAX_RUNNING_LINES && !hasBelow(element, 'h1');
    }
  };
  visit(body, false);
  const lost = doomed.reduce((sum, { weight }) => sum + weight, 0);
  // A page whose elements are all named like boilerplate keeps them.
  const isAll = prose > 0 && lost > prose * MAX_REMOVED_SHARE;
  for (const { element, weight } of doomed) if (!isAll || weight < NO_SENTENCE) detach(element);
}

function isConsent(element: HtmlElement, own: Measure, share: number): boolean {
  if (own.text > 1_500 || share > 0.6 || own.text < 20 || own.inputs + own.links === 0) return false;
  const text = textBelow(element);
  if (!CONSENT_WORDS.test(text)) return false;
  return hasConsentButton(element);
}

function hasConsentButton(element: HtmlElement): boolean {
  return elementsOf(element).some((child) => {
    if (child.name === 'button' || child.name === 'a') return CONSENT_BUTTON.test(textBelow(child).trim());
    if (child.name === 'input') return CONSENT_BUTTON.test((child.attribs['value'] ?? '').trim());
    return hasConsentButton(child);
  });
}

function hasBelow(node: HtmlNode, name: string): boolean {
  return elementsOf(node).some((child) => child.name === name || hasBelow(child, name));
}

/** Share of the surrounding prose that one part must contain to replace the whole. */
const DOMINANT_SHARE = 0.8;
/** Share of the prose that an element marked as content must contain. */
const MIN_MARKED_SHARE = 0.4;

function chooseRoots(body: HtmlNode): HtmlNode[] {
  const measures = measure(body);
  const weight = (node: HtmlNode) => measures.get(node)?.weight ?? 0;
  const marked = markedContent(body, weight);
  let root: HtmlNode = marked ?? body;
  for (;;) {
    const whole = weight(root);
    const next = elementsOf(root).find((child) => canHold(child) && weight(child) >= whole * DOMINANT_SHARE);
    if (next === undefined || whole === 0) break;
    if (elementsOf(root).some((other) => other !== next && holdsMatter(other, measures.get(other)))) break;
    root = next;
  }
  return [root];
}

/** A part with a heading and a table, code or text is content, even with little prose. */
function holdsMatter(element: HtmlElement, own: Measure | undefined): boolean {
  if (own === undefined || own.text < 20 || own.linked > own.text * 0.3) return false;
  if (hasBelow(element, 'pre') || element.name === 'pre') return true;
  const isHeaded = ['h2', 'h3', 'h4'].some((name) => hasBelow(element, name));
  return isHeaded && own.inputs === 0 && (own.weight > 60 || hasBelow(element, 'th') || hasBelow(element, 'dl'));
}

/** Elements that can contain a whole text; lists and single-row tables are not descended into. */
const canHold = (element: HtmlElement): boolean =>
  (isBlock(element) &&
    !/^(?:p|pre|blockquote|h[1-6]|ul|ol|dl|li|dd|dt|th|thead|figure|figcaption|details)$/.test(element.name) &&
    (element.name !== 'table' || !hasBelow(element, 'th'))) ||
  element.name === 'form';

/** The page's own content mark-up: the innermost element that contains enough of the prose. */
function markedContent(body: HtmlNode, weight: (node: HtmlNode) => number): HtmlNode | undefined {
  const total = weight(body);
  let best: HtmlNode | undefined;
  const isMark = ({ name, attribs }: HtmlElement) =>
    name === 'main' ||
    name === 'article' ||
    attribs['role'] === 'main' ||
    /(?:^|\s)(?:articleBody|mainContentOfPage)(?:\s|$)/.test(attribs['itemprop'] ?? '');
  const visit = (node: HtmlNode, enclosing: number): void => {
    for (const child of elementsOf(node)) {
      const own = weight(child);
      if (own < enclosing * MIN_MARKED_SHARE) continue;
      // Several sibling articles are a list of articles, or a thread.
      const isOneOfMany =
        child.name === 'article' &&
        own < enclosing * 0.7 &&
        elementsOf(node).filter(({ name }) => name === 'article').length > 1;
      if (isMark(child) && !isOneOfMany) {
        best = child;
        visit(child, own);
      } else if (!isOneOfMany) visit(child, enclosing);
    }
  };
  visit(body, total);
  return best;
}

/** Removes link lists, bylines, boxes and interface labels from the content. */
function tidy(root: HtmlNode): void {
  removeRails(root);
  const measures = measure(root);
  const prose = measures.get(root)?.weight ?? 0;
  const { first, last } = proseRange(root, measures);
  let order = 0;
  const visit = (node: HtmlNode): void => {
    for (const child of elementsOf(node)) {
      const place = order++;
      const own = measures.get(child);
      if (own === undefined) continue;
      if (
        isStampIn(node, child, own) ||
        (isBlock(child) &&
          isLeftover(child, own, { prose, place: place < first ? 'before' : place > last ? 'after' : 'within' }))
      ) {
        detach(child);
        // Descendants are removed too, but still counted.
        order += countBelow(child);
      } else visit(child);
    }
  };
  visit(root);
}

/** A date or a name beside a text, in an inline element of its own. */
const isStampIn = (parent: HtmlNode, { name, attribs }: HtmlElement, own: Measure): boolean =>
  (name === 'span' || name === 'time' || name === 'small') &&
  own.text < 60 &&
  isElement(parent) &&
  !/^(?:p|li|td|dd|h[1-6]|a|span|blockquote|strong|em|b|i|code)$/.test(parent.name) &&
  (name === 'time' || BYLINE_NAME.test(attribs['class'] ?? ''));

const countBelow = (node: HtmlNode): number => elementsOf(node).reduce((sum, child) => sum + 1 + countBelow(child), 0);

/** Positions, in document order, of the first and the last block that is clearly prose. */
function proseRange(root: HtmlNode, measures: ReadonlyMap<HtmlNode, Measure>): { first: number; last: number } {
  let order = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = -1;
  const visit = (node: HtmlNode): void => {
    for (const child of elementsOf(node)) {
      const place = order++;
      const own = measures.get(child);
      const isLeaf = isBlock(child) && !elementsOf(child).some(isBlock);
      if (isLeaf && own !== undefined && own.weight > 100 && own.linked < own.text * 0.4) {
        first = Math.min(first, place);
        last = place;
      }
      visit(child);
    }
  };
  visit(root);
  return last === -1 ? { first: -1, last: Number.POSITIVE_INFINITY } : { first, last };
}

/** Below this, a page consists mainly of links. */
const MIN_PROSE_CHARACTERS = 300;

interface Where {
  readonly prose: number;
  readonly place: 'before' | 'within' | 'after';
}

function isLeftover(element: HtmlElement, own: Measure, { prose, place }: Where): boolean {
  const { name } = element;
  if (own.text === 0) return false;
  if (/^h[1-6]$/.test(name) || name === 'pre' || name === 'tr' || name === 'td' || name === 'th' || name === 'tbody')
    return false;
  if (own.text < 60) {
    const text = oneLine(textBelow(element));
    if (EMPTY_WORDS.test(text)) return true;
  }
  const names = nameOf(element);
  if (
    own.text < 200 &&
    own.weight < 300 &&
    (BYLINE_NAME.test(names) || isOnly(element, 'time')) &&
    name !== 'li' &&
    name !== 'dd'
  )
    return true;
  const density = own.linked / own.text;
  if (own.text < 260 && density > 0.3 && READ_ELSEWHERE.test(textBelow(element).trim())) return true;
  if (place === 'after' && own.text < 300 && COPYRIGHT_WORDS.test(textBelow(element))) return true;
  // Without much prose, links are the page's content.
  if (prose < MIN_PROSE_CHARACTERS) return false;
  if (own.weight > prose * 0.3) return false;
  if (own.inputs > 0 && own.text < 400 && own.weight < 500 && name !== 'li' && !hasBelow(element, 'pre')) return true;
  if (name === 'p' || name === 'li' || name === 'dd' || name === 'dt' || name === 'blockquote') {
    return place !== 'within' && name === 'p' && density > 0.8 && own.text < 200;
  }
  if (density < 0.5 || own.links === 0) return false;
  const plain = own.text - own.linked;
  if (place === 'within') return density > 0.75 && own.links > 2 && own.linked / own.links < 28 && plain < 120;
  return density > 0.55 && plain < 250;
}

function isOnly(element: HtmlElement, name: string): boolean {
  const [only, ...more] = childrenOf(element).filter((child) => child.type !== 'text' || child.data.trim() !== '');
  return only !== undefined && more.length === 0 && isElement(only) && only.name === name;
}

/**
 * Removes a heading such as "Related articles" with everything up to the next heading of its level, if that is mostly
 * links.
 */
function removeRails(root: HtmlNode): void {
  const measures = measure(root);
  const total = measures.get(root)?.weight ?? 0;
  if (total < MIN_PROSE_CHARACTERS) return;
  const visit = (node: HtmlNode): void => {
    for (const child of elementsOf(node)) {
      if (child.parent === null) continue;
      const level = headingLevel(child);
      if (level === undefined) {
        visit(child);
        continue;
      }
      if (!RAIL_HEADING.test(oneLine(textBelow(child)))) continue;
      // A heading alone in its wrapper applies to the wrapper's siblings.
      const head = aloneIn(child, root);
      const below = followers(head, level);
      const [text, linked, weight] = below.reduce(
        (sum, each) => {
          const own = measures.get(each);
          return [sum[0] + (own?.text ?? 0), sum[1] + (own?.linked ?? 0), sum[2] + (own?.weight ?? 0)] as const;
        },
        [0, 0, 0] as readonly [number, number, number],
      );
      if (text > 0 && linked < text * 0.25 && weight > 150) continue;
      if (weight > total * 0.4) continue;
      for (const each of [head, ...below]) detach(each);
    }
  };
  visit(root);
}

function headingLevel({ name, attribs }: HtmlElement): number | undefined {
  const digit = /^h([1-6])$/.exec(name)?.[1];
  if (digit !== undefined) return Number(digit);
  return /(?:^|[\s_-])(?:title|heading|headline)(?:$|[\s_-])/i.test(attribs['class'] ?? '') &&
    (name === 'p' || name === 'div' || name === 'strong' || name === 'span')
    ? 6
    : undefined;
}

function aloneIn(heading: HtmlElement, root: HtmlNode): HtmlElement {
  let head = heading;
  for (let { parent } = head; parent !== null && parent !== root && isElement(parent); { parent } = head) {
    const others = childrenOf(parent).filter(
      (child) => child !== head && (isElement(child) || (child.type === 'text' && child.data.trim() !== '')),
    );
    if (others.length > 0) break;
    head = parent;
  }
  return head;
}

function followers(head: HtmlElement, level: number): HtmlElement[] {
  const found: HtmlElement[] = [];
  for (let next: HtmlNode | null = head.next; next !== null; next = next.next) {
    if (!isElement(next)) continue;
    const other = headingLevel(next) ?? firstHeading(next);
    if (other !== undefined && other <= level) break;
    found.push(next);
  }
  return found;
}

/** The level of the heading an element begins with. */
function firstHeading(element: HtmlElement): number | undefined {
  const [first] = elementsOf(element);
  return first === undefined
    ? undefined
    : /^h[1-6]$/.test(first.name)
      ? Number(first.name.charAt(1))
      : firstHeading(first);
}
