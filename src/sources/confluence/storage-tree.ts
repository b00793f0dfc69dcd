import { Parser } from 'htmlparser2';
import { ServiceError } from '../../errors.ts';

/** An element of Confluence's storage format: XHTML with additional elements in the namespaces `ac` and `ri`. */
export interface StorageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: StorageNode[];
}
export type StorageNode = StorageElement | string;

/** The tree's maximum depth; the content of deeper elements is attached to the deepest allowed one. */
const MAX_DEPTH = 60;
/** Deeper input is rejected, because the parser's running time is quadratic in the depth. */
const DEEPEST = 2_000;

/** Parses the storage format. Throws `invalid_request` if it is nested too deeply. */
export function parseStorage(storage: string): readonly StorageNode[] {
  const top: StorageNode[] = [];
  const open: StorageNode[][] = [top];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (open.length > DEEPEST)
          throw new ServiceError('invalid_request', 'The page is nested too deeply to be read.');
        const siblings = open.at(-1) ?? top;
        const isTooDeep = open.length > MAX_DEPTH;
        const element: StorageElement = { name, attributes, children: [] };
        if (!isTooDeep) siblings.push(element);
        open.push(isTooDeep ? siblings : element.children);
      },
      ontext(text) {
        (open.at(-1) ?? top).push(text);
      },
      onclosetag() {
        if (open.length > 1) open.pop();
      },
    },
    // XML syntax, but HTML character references; so the parser's XML mode is not used.
    { recognizeCDATA: true, recognizeSelfClosing: true, lowerCaseTags: false, lowerCaseAttributeNames: false },
  );
  parser.end(storage);
  return top;
}

export const isElement = (node: StorageNode): node is StorageElement => typeof node !== 'string';

export const elementsOf = ({ children }: StorageElement): readonly StorageElement[] => children.filter(isElement);

/** The first child of that name. */
export const childOf = (element: StorageElement, name: string): StorageElement | undefined =>
  elementsOf(element).find((child) => child.name === name);

/** The unmodified text content, including line breaks. */
export const rawText = (node: StorageNode): string => (isElement(node) ? node.children.map(rawText).join('') : node);

/** The first descendant that satisfies the predicate. */
export function findBelow(
  element: StorageElement,
  holds: (element: StorageElement) => boolean,
): StorageElement | undefined {
  for (const child of elementsOf(element)) {
    const found = holds(child) ? child : findBelow(child, holds);
    if (found !== undefined) return found;
  }
  return undefined;
}
