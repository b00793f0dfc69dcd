import { ServiceError } from '../../../errors.ts';
import { createTextBuilder } from '../build-text.ts';
import { cleanLine } from '../encoding/clean-text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import { declaredCharset } from '../html/html-charset.ts';
import { childrenOf, type HtmlNode, isElement, textBelow } from '../html/html-nodes.ts';
import type { Reader } from '../reader.ts';
import { elementsOf, firstBelow, localName, parseXml } from '../xml/xml.ts';

/** Drawings: their title, description and all text. */
export const svgReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes, { declared: declaredCharset(bytes) });
    const root = decoded && firstBelow(parseXml(decoded.text, fileName), 'svg');
    if (root === undefined) throw new ServiceError('invalid_request', `${fileName} is not a drawing in SVG.`);
    const builder = createTextBuilder();
    const [titled] = elementsOf(root, 'title');
    const title = titled && lineOf(titled);
    addTexts(root, (text) => builder.add('paragraph', text));
    return { ...builder.finish(), ...(title !== undefined && title !== '' && { title }), metadata: {} };
  },
};

const TEXT_ELEMENTS = new Set(['text', 'title', 'desc', 'foreignObject']);
/** Elements that are not rendered. */
const SKIPPED_ELEMENTS = new Set(['script', 'style', 'metadata']);

function addTexts(node: HtmlNode, add: (text: string) => void): void {
  for (const child of childrenOf(node)) {
    if (!isElement(child)) continue;
    const name = localName(child.name);
    if (SKIPPED_ELEMENTS.has(name)) continue;
    if (TEXT_ELEMENTS.has(name)) add(lineOf(child));
    else addTexts(child, add);
  }
}

/** The lines of one text are separate elements with nothing between them. */
function lineOf(node: HtmlNode): string {
  const lines = elementsOf(node, 'tspan');
  const text = lines.length > 1 ? lines.map(textBelow).join(' ') : textBelow(node);
  return cleanLine(text);
}
