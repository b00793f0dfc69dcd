import type { PageMeasures } from './html-measure.ts';
import { elementsOf, type HtmlElement, type HtmlNode, hasBelow } from './html-nodes.ts';

/** This many cards next to each other are a list of other pages. */
const MIN_CARDS = 3;
/** A card with more prose than this is a text of its own. */
const MAX_CARD_PROSE = 400;
/** Less prose beside the cards is only their introduction. */
const MIN_PROSE_BESIDE = 700;
/** Cards with a larger share of the text are what the page is about. */
const MAX_SHARE = 0.4;

/** Removes rows of cards beside a text: headings or pictures that link to other pages, each with a few words. */
export function removeCards(root: HtmlNode, measures: PageMeasures): void {
  measures.update();
  const total = measures.of(root)?.weight ?? 0;
  const text = measures.of(root)?.text ?? 0;
  const visit = (node: HtmlNode): void => {
    for (const child of elementsOf(node)) {
      if (child.parent === null) continue;
      const { weight, text: own } = measures.of(child) ?? { weight: 0, text: 0 };
      if (own < text * MAX_SHARE && total - weight > Math.max(MIN_PROSE_BESIDE, weight) && isCardList(child))
        measures.remove(child);
      else visit(child);
    }
  };
  visit(root);

  function isCardList(element: HtmlElement): boolean {
    if (element.name === 'tbody' || element.name === 'table' || element.name === 'tr') return false;
    const children = elementsOf(element);
    if (children.length < MIN_CARDS) return false;
    const cards = children.filter(isCard);
    return cards.length >= MIN_CARDS && cards.length >= children.length * 0.75;
  }

  function isCard(element: HtmlElement): boolean {
    const own = measures.of(element);
    if (own === undefined || own.links === 0 || own.linked < 15 || own.weight > MAX_CARD_PROSE) return false;
    if (/^(?:p|h[1-6]|pre|table|blockquote|figure)$/.test(element.name) || own.links > 6) return false;
    return ['h2', 'h3', 'h4', 'h5', 'h6', 'img', 'picture'].some((name) => hasBelow(element, name));
  }
}
