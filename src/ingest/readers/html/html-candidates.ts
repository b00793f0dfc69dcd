import { lettersAndDigits, oneLine } from '../../../shared/text.ts';
import type { Measure, PageMeasures } from './html-measure.ts';
import { elementsOf, type HtmlElement, type HtmlNode, isElement, textBelow } from './html-nodes.ts';

/** What the metadata of a page says about its text. */
export interface Evidence {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly articleBody?: string | undefined;
  /** Whether the page declares itself an article. */
  readonly isArticle?: boolean;
}

/** Less prose around a heading is only its introduction. */
const MIN_PROSE = 800;
const MIN_PARAGRAPHS = 3;
const MIN_DESCRIPTION = 40;
/** A second candidate with a smaller share of the first one's prose is not chosen. */
const MIN_SHARE = 0.25;

/**
 * Chooses between two candidates: the part with most of the prose (`first`), and the part around the heading that the
 * page's title names. The second is chosen if the first lacks that heading or contains several texts, unless the page's
 * metadata contradicts it.
 */
export function chooseCandidate(
  body: HtmlNode,
  first: HtmlNode,
  { measures, ...evidence }: Evidence & { readonly measures: PageMeasures },
): HtmlNode {
  const heading = headingOf(body, evidence.title);
  if (heading === undefined) return first;
  const second = partAround(heading, body, measures);
  if (second === undefined || second === first || contains(second, first)) return first;
  const [one, other] = [measures.of(first), measures.of(second)];
  if (one === undefined || other === undefined) return first;
  const { articleBody, description } = evidence;
  if (articleBody !== undefined && articleBody.length > 500) {
    const distance = (own: Measure) => Math.abs(Math.log(Math.max(1, own.text) / articleBody.length));
    return distance(other) + 0.1 < distance(one) ? second : first;
  }
  // The second is only a box with a heading of its own, or the table of contents.
  if (other.weight < one.weight * MIN_SHARE) return first;
  if (description !== undefined && description.length >= MIN_DESCRIPTION) {
    const start = lettersAndDigits(description).slice(0, 50);
    const holds = (node: HtmlNode) => lettersAndDigits(textBelow(node)).includes(start);
    if (!holds(second) && holds(first)) return first;
    if (holds(second) && !holds(first)) return second;
  }
  if (!contains(first, heading)) return second;
  // A page that declares itself an article has one text; others may have several.
  return evidence.isArticle === true ? second : first;
}

/** The first `h1` or `h2` whose words make up most of the title. */
function headingOf(body: HtmlNode, title: string | undefined): HtmlElement | undefined {
  if (title === undefined) return undefined;
  const wanted = lettersAndDigits(title);
  let found: HtmlElement | undefined;
  const visit = (node: HtmlNode): void => {
    for (const child of elementsOf(node)) {
      if (found !== undefined) return;
      if (child.name === 'h1' || child.name === 'h2') {
        const own = lettersAndDigits(oneLine(textBelow(child)));
        if (own.length > 8 && wanted.includes(own) && own.length > wanted.length * 0.5) found = child;
      } else visit(child);
    }
  };
  visit(body);
  return found;
}

function partAround(heading: HtmlElement, body: HtmlNode, measures: PageMeasures): HtmlElement | undefined {
  for (let node = heading.parent; node !== null && node !== body && isElement(node); node = node.parent) {
    const own = measures.of(node);
    if (own !== undefined && own.weight >= MIN_PROSE && own.paragraphs >= MIN_PARAGRAPHS) return node;
  }
  return undefined;
}

function contains(outer: HtmlNode, inner: HtmlNode): boolean {
  for (let node: HtmlNode | null = inner; node !== null; node = node.parent) if (node === outer) return true;
  return false;
}
