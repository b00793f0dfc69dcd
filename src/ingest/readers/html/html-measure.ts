import { childrenOf, detach, type HtmlElement, type HtmlNode, isElement, isTaskBox } from './html-nodes.ts';

/** Text statistics of an element, including its descendants. */
export interface Measure {
  /** Characters, with each run of white space counted once. */
  text: number;
  /** Those of them within links. */
  linked: number;
  links: number;
  /** Amount of prose: text outside of links, in blocks, weighted higher for whole sentences. */
  weight: number;
  /** Number of input elements: fields and buttons. */
  inputs: number;
  paragraphs: number;
}

const SKIPPED = new Set('script style noscript template svg head title option datalist'.split(' '));
const BLOCK = new Set(
  'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);
const INPUT = new Set(['input', 'button', 'select', 'textarea']);
const SENTENCE_END = /[.!?。！？؟।…][\s"'”’»)\]]*/g;

export const isBlock = ({ name }: HtmlElement): boolean => BLOCK.has(name);

/** The measures of the elements of a page. */
export interface PageMeasures {
  /** As of the last update; undefined for elements that are not measured, such as scripts. */
  of(node: HtmlNode): Measure | undefined;
  /** Removes a node from the page. */
  remove(node: HtmlNode): void;
  /** Measures the elements again from which something was removed. */
  update(): void;
}

interface Measured {
  readonly own: Measure;
  /** Text directly in an inline element, which belongs to the block around it. */
  readonly direct: string;
}

/** Measures every element of a page in one pass. */
export function measurePage(root: HtmlNode): PageMeasures {
  const known = new Map<HtmlNode, Measured>();
  const changed = new Set<HtmlNode>();
  const update = () => {
    visit(root, false);
    changed.clear();
  };
  update();
  return {
    of: (node) => known.get(node)?.own,
    remove(node) {
      for (let around = node.parent; around !== null; around = around.parent) changed.add(around);
      detach(node);
    },
    update,
  };

  function visit(node: HtmlNode, isLinked: boolean): Measured {
    const found = changed.has(node) ? undefined : known.get(node);
    if (found !== undefined) return found;
    const measured = calculate(node, isLinked);
    known.set(node, measured);
    return measured;
  }

  function calculate(node: HtmlNode, isLinked: boolean): Measured {
    const own: Measure = { text: 0, linked: 0, links: 0, weight: 0, inputs: 0, paragraphs: 0 };
    // Text directly in this block, outside of nested blocks and links.
    let direct = '';
    for (const child of childrenOf(node)) {
      if (child.type === 'text') {
        const length = lengthOf(child.data);
        own.text += length;
        if (isLinked) own.linked += length;
        else direct += child.data;
        continue;
      }
      if (!isElement(child) || SKIPPED.has(child.name)) continue;
      if (INPUT.has(child.name) && !isTaskBox(child)) own.inputs++;
      if (child.name === 'button' || child.name === 'textarea') continue;
      const opensLink =
        child.name === 'a' && child.attribs['href'] !== undefined && !child.attribs['href'].startsWith('#');
      const below = visit(child, isLinked || opensLink);
      own.text += below.own.text;
      own.linked += below.own.linked;
      own.links += below.own.links + (opensLink ? 1 : 0);
      own.weight += below.own.weight;
      own.inputs += below.own.inputs;
      own.paragraphs += below.own.paragraphs;
      if (!BLOCK.has(child.name)) direct += below.direct;
    }
    if (isElement(node) && BLOCK.has(node.name)) {
      const weight = weightOf(direct, node.name);
      own.weight += weight;
      if (weight > 40) own.paragraphs++;
      return { own, direct: '' };
    }
    return { own, direct };
  }
}

function weightOf(direct: string, name: string): number {
  const length = lengthOf(direct);
  if (length < 2) return 0;
  if (name === 'pre') return length;
  // A heading does not count as prose.
  if (/^h[1-6]$/.test(name)) return 0;
  const wide = wideShare(direct);
  // A character of a dense script counts as two or three letters.
  const size = length * (1 + 1.5 * wide);
  const sentences = direct.match(SENTENCE_END)?.length ?? 0;
  if (size < 25) return size * 0.3;
  return size * (sentences > 0 ? 1.4 : 0.6);
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

function wideShare(text: string): number {
  const sample = text.slice(0, 400);
  return (sample.match(WIDE)?.length ?? 0) / Math.max(1, sample.length);
}

/** Number of characters, with runs of white space counted as one, and white space for source layout as none. */
function lengthOf(text: string): number {
  let length = 0;
  let isSpace = true;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const blank = code === 32 || (code >= 9 && code <= 13) || code === 160;
    if (!blank || !isSpace) length++;
    isSpace = blank;
  }
  return length > 0 && isSpace ? length - 1 : length;
}
