import { oneLine } from '../../../shared/text.ts';
import { RAIL_HEADING } from './html-boilerplate.ts';
import type { PageMeasures } from './html-measure.ts';
import { childrenOf, elementsOf, type HtmlElement, type HtmlNode, isElement, textBelow } from './html-nodes.ts';

/** Below this, a page consists mainly of links. */
export const MIN_PROSE_CHARACTERS = 300;

/**
 * Removes a heading such as "Related articles" with everything up to the next heading of its level, if that is mostly
 * links.
 */
export function removeRails(root: HtmlNode, measures: PageMeasures): void {
  measures.update();
  const total = measures.of(root)?.weight ?? 0;
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
          const own = measures.of(each);
          return [sum[0] + (own?.text ?? 0), sum[1] + (own?.linked ?? 0), sum[2] + (own?.weight ?? 0)] as const;
        },
        [0, 0, 0] as readonly [number, number, number],
      );
      if (text > 0 && linked < text * 0.25 && weight > 150) continue;
      if (weight > total * 0.4) continue;
      for (const each of [head, ...below]) measures.remove(each);
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
  if (first === undefined) return undefined;
  return /^h[1-6]$/.test(first.name) ? Number(first.name.charAt(1)) : firstHeading(first);
}
