import DOMPurify from 'dompurify';
import { type Located, locateQuote } from '../locate-quote.ts';
import type { QuoteFacts } from '../quote-facts.ts';

export interface SafeHtml {
  readonly html: string;
  readonly located: Located | undefined;
}

/** Removes everything that executes, fetches, submits or navigates; images only as data URLs. */
const RULES = {
  FORBID_TAGS: ['style', 'link', 'meta', 'base', 'form', 'input', 'button', 'select', 'textarea', 'svg', 'math'],
  FORBID_ATTR: ['style', 'srcset', 'action', 'formaction', 'background', 'poster', 'autofocus', 'id', 'name', 'class'],
  ALLOW_DATA_ATTR: false,
  WHOLE_DOCUMENT: false,
  RETURN_DOM_FRAGMENT: true,
} as const;

/** Sanitises a foreign page and marks the quote if its location is unambiguous. */
export function markHtml(source: string, facts: QuoteFacts | undefined): SafeHtml {
  const fragment = DOMPurify.sanitize(source, {
    ...RULES,
    FORBID_TAGS: [...RULES.FORBID_TAGS],
    FORBID_ATTR: [...RULES.FORBID_ATTR],
  });
  for (const element of fragment.querySelectorAll('[src], [href]')) {
    const address = element.getAttribute('src');
    if (address !== null && !/^data:image\/(png|jpeg|gif|webp)[;,]/i.test(address)) element.removeAttribute('src');
    element.removeAttribute('href');
  }
  const body = document.createElement('div');
  body.append(fragment);
  const located = facts === undefined ? undefined : markIn(body, facts);
  return { html: body.innerHTML, located };
}

function markIn(body: HTMLElement, { words, before, after }: QuoteFacts): Located {
  const nodes = textNodesOf(body);
  let text = '';
  const starts = nodes.map((node) => {
    const start = text.length;
    text += node.data;
    return start;
  });
  const located = locateQuote([{ number: 1, text }], words, 1, { before, after });
  if (located.kind !== 'found') return located;
  const [part] = located.parts;
  let isFirst = true;
  for (const [index, node] of nodes.entries()) {
    const start = starts[index] ?? 0;
    const from = Math.max(0, (part?.start ?? 0) - start);
    const to = Math.min(node.data.length, (part?.end ?? 0) - start);
    if (from >= to) continue;
    // White space between blocks would yield invisible marks.
    if (node.data.slice(from, to).trim() === '') continue;
    const marked = node.splitText(from);
    marked.splitText(to - from);
    const mark = document.createElement('mark');
    marked.replaceWith(mark);
    mark.append(marked);
    if (!isFirst) continue;
    isFirst = false;
    mark.tabIndex = 0;
    // The frame scrolls to a box; the mark is inline, and the start of its block may be far above it.
    const target = document.createElement('span');
    target.id = 'quote';
    mark.before(target);
  }
  return located;
}

function textNodesOf(body: HTMLElement): Text[] {
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    // The extracted text does not have the readings of ruby.
    if (node instanceof Text && !node.parentElement?.closest('ruby :is(rt, rp, rtc)')) nodes.push(node);
  return nodes;
}
