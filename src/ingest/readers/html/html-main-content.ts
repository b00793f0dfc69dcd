import type { CheerioAPI } from 'cheerio';
import {
  BOILERPLATE_NAME,
  CERTAIN_BOILERPLATE_NAME,
  COMMENTS_NAME,
  CONSENT_BUTTON,
  CONSENT_WORDS,
  FOOT_NAME,
} from './html-boilerplate.ts';
import { chooseCandidate, type Evidence } from './html-candidates.ts';
import { removeLeftovers } from './html-leftovers.ts';
import { isBlock, type Measure, measurePage, type PageMeasures } from './html-measure.ts';
import {
  detach,
  elementsOf,
  type HtmlElement,
  type HtmlNode,
  hasBelow,
  isElement,
  nameOf,
  textBelow,
} from './html-nodes.ts';
import { removeOwnContents, removePagers } from './html-pagers.ts';
import { MIN_PROSE_CHARACTERS } from './html-rails.ts';
import { isClearlyData } from './html-table.ts';

/**
 * Finds the main content of a page, without boilerplate. Modifies the page: elements are removed by name and role, then
 * the part with most of the prose is selected, then link lists are removed from it.
 */
export function findMainContent($: CheerioAPI, evidence: Evidence = {}): HtmlNode[] {
  const [body] = $('body').get();
  if (body === undefined) return $.root().get();
  removeTags(body);
  const measures = measurePage(body);
  removePagers(body, measures);
  removeOwnContents(body, measures);
  removeByName(body, measures);
  const root = chooseCandidate(body, chooseRoot(body, measures), { ...evidence, measures });
  removeLeftovers(root, measures);
  return [root];
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

function removeTags(node: HtmlNode): void {
  for (const child of elementsOf(node)) {
    const { name, attribs } = child;
    const isPart = name !== 'main' && name !== 'article';
    if (NEVER_TEXT.has(name) || (isPart && BOILERPLATE_ROLES.has((attribs['role'] ?? '').toLowerCase()))) detach(child);
    else removeTags(child);
  }
}

/** Content overrides names: an element with a larger share of the text is the text, even if it is named like a menu. */
const MAX_RUNNING_LINES = 0.4;
const MAX_REMOVED_SHARE = 0.97;
const NO_SENTENCE = 30;

function removeByName(body: HtmlNode, measures: PageMeasures): void {
  measures.update();
  const { text: total = 0, weight: prose = 0 } = measures.of(body) ?? {};
  const removable: { readonly element: HtmlElement; readonly weight: number }[] = [];
  const visit = (node: HtmlNode, inContent: boolean): void => {
    for (const child of elementsOf(node)) {
      const own = measures.of(child);
      if (own !== undefined && isRunningHeader(child, own)) removable.push({ element: child, weight: own.weight });
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
      if (share > MAX_RUNNING_LINES || !isNamedBoilerplate(names, own, prose)) return false;
      return !hasBelow(element, 'h1') && !hasBelow(element, 'main') && !hasBelow(element, 'article');
    }
  };
  visit(body, false);
  const lost = removable.reduce((sum, { weight }) => sum + weight, 0);
  // A page whose elements are all named like boilerplate keeps them.
  const isAll = prose > 0 && lost > prose * MAX_REMOVED_SHARE;
  for (const { element, weight } of removable) if (!isAll || weight < NO_SENTENCE) measures.remove(element);
}

/** An element is removed for its name alone if its prose is below this amount or this share of the page's prose. */
const MAX_NAMED_PROSE = 600;
const MAX_NAMED_SHARE = 0.12;

/** A name counts only if links or input fields outweigh the prose, or if the name leaves no doubt. */
function isNamedBoilerplate(names: string, own: Measure, prose: number): boolean {
  const hasName = BOILERPLATE_NAME.test(names);
  if (hasName && (own.linked * 2 > own.text || own.weight < NO_SENTENCE || (own.inputs > 0 && own.weight < 300)))
    return true;
  if (FOOT_NAME.test(names)) return true;
  return own.weight < Math.max(MAX_NAMED_PROSE, prose * MAX_NAMED_SHARE) && CERTAIN_BOILERPLATE_NAME.test(names);
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

/** Share of the surrounding prose that one part must contain to replace the whole. */
const DOMINANT_SHARE = 0.8;
/** On a page of links, the part with most of the little prose replaces the whole only with this share of its text. */
const MIN_TEXT_SHARE = 0.5;
/** Share of the prose that an element marked as content must contain. */
const MIN_MARKED_SHARE = 0.4;

function chooseRoot(body: HtmlNode, measures: PageMeasures): HtmlNode {
  measures.update();
  const weight = (node: HtmlNode) => measures.of(node)?.weight ?? 0;
  const text = (node: HtmlNode) => measures.of(node)?.text ?? 0;
  const marked = markedContent(body, weight);
  let root: HtmlNode = marked ?? body;
  for (;;) {
    const whole = weight(root);
    const next = elementsOf(root).find((child) => canHold(child) && weight(child) >= whole * DOMINANT_SHARE);
    if (next === undefined || whole === 0) break;
    if (whole < MIN_PROSE_CHARACTERS && text(next) < text(root) * MIN_TEXT_SHARE) break;
    if (elementsOf(root).some((other) => other !== next && holdsMatter(other, measures.of(other)))) break;
    root = next;
  }
  return root;
}

/** A part with a heading and a table, code or text is content, even with little prose. */
function holdsMatter(element: HtmlElement, own: Measure | undefined): boolean {
  if (own === undefined || own.text < 20 || own.linked > own.text * 0.3) return false;
  if (hasBelow(element, 'pre') || element.name === 'pre') return true;
  const isHeaded = ['h2', 'h3', 'h4'].some((name) => hasBelow(element, name));
  return isHeaded && own.inputs === 0 && (own.weight > 60 || hasBelow(element, 'th') || hasBelow(element, 'dl'));
}

/** Elements that can contain a whole text; lists and tables of data, however wrapped, are not descended into. */
const canHold = (element: HtmlElement): boolean =>
  (isBlock(element) &&
    !/^(?:p|pre|blockquote|h[1-6]|ul|ol|dl|li|dd|dt|th|thead|figure|figcaption|details)$/.test(element.name) &&
    !wrapsData(element)) ||
  element.name === 'form';

function wrapsData(element: HtmlElement): boolean {
  if (element.name === 'table') return hasBelow(element, 'th') || isClearlyData(element);
  const [only, ...others] = elementsOf(element);
  return only !== undefined && others.length === 0 && /^(?:div|section|table)$/.test(only.name) && wrapsData(only);
}

/** The innermost element that the page marks as content and that contains enough of the prose. */
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
