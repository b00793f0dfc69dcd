import { oneLine } from '../../../shared/text.ts';
import { BYLINE_NAME, COPYRIGHT_WORDS, EMPTY_WORDS, READ_ELSEWHERE } from './html-boilerplate.ts';
import { removeCards } from './html-cards.ts';
import { isBlock, type Measure, type PageMeasures } from './html-measure.ts';
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
import { MIN_PROSE_CHARACTERS, removeRails } from './html-rails.ts';
import { isDataTable } from './html-table.ts';

/** Removes link lists, bylines, boxes and interface labels from the content. */
export function removeLeftovers(root: HtmlNode, measures: PageMeasures): void {
  removeRails(root, measures);
  removeCards(root, measures);
  measures.update();
  const { weight: prose = 0, text: total = 0 } = measures.of(root) ?? {};
  const { first, last } = proseRange(root, measures);
  let order = 0;
  const visit = (node: HtmlNode): void => {
    for (const child of elementsOf(node)) {
      const place = order++;
      const own = measures.of(child);
      if (own === undefined) continue;
      if (
        isStampIn(node, child, own) ||
        (isBlock(child) &&
          isLeftover(child, own, { prose, total, place: place < first ? 'before' : place > last ? 'after' : 'within' }))
      ) {
        measures.remove(child);
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
function proseRange(root: HtmlNode, measures: PageMeasures): { first: number; last: number } {
  let order = 0;
  let first = Number.POSITIVE_INFINITY;
  let last = -1;
  const visit = (node: HtmlNode): void => {
    for (const child of elementsOf(node)) {
      const place = order++;
      const own = measures.of(child);
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

interface Position {
  readonly prose: number;
  readonly total: number;
  readonly place: 'before' | 'within' | 'after';
}

/** A list with a larger share of the text is what the page is about, although it ends with it. */
const MAX_LISTED_SHARE = 0.5;

function isLeftover(element: HtmlElement, own: Measure, { prose, total, place }: Position): boolean {
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
  if ((place === 'within' || own.text > total * MAX_LISTED_SHARE) && isContentList(element)) return false;
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

/** A table of data, or a list that a sentence or heading of the text introduces, is content although it is links. */
function isContentList(element: HtmlElement): boolean {
  if (element.name === 'table') return isDataTable(element);
  if (!/^(?:ul|ol|dl)$/.test(element.name) || nameOf(element).trim() !== '') return false;
  let { prev } = element;
  while (prev !== null && !isElement(prev)) ({ prev } = prev);
  return prev !== null && /^(?:p|h[2-6])$/.test(prev.name);
}

function isOnly(element: HtmlElement, name: string): boolean {
  const [only, ...more] = childrenOf(element).filter((child) => child.type !== 'text' || child.data.trim() !== '');
  return only !== undefined && more.length === 0 && isElement(only) && only.name === name;
}
