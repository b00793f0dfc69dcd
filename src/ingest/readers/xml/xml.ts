import { DomHandler, Parser } from 'htmlparser2';
import { ServiceError } from '../../../errors.ts';
import { childrenOf, type HtmlElement, type HtmlNode, isElement } from '../html/html-nodes.ts';

/** Far deeper than any real document; tree walkers recurse once per level. */
const MAX_DEPTH = 500;

/**
 * The tree of an XML part. Entities other than the five predefined ones stay unexpanded, and nothing external is
 * loaded, which prevents entity expansion and XXE attacks. Throws `invalid_request`.
 */
export function parseXml(text: string, fileName: string): HtmlNode {
  const handler = new DomHandler();
  let depth = 0;
  const parser = new Parser(
    {
      onparserinit: (self) => handler.onparserinit(self),
      onopentag: (name, attributes) => {
        if (++depth > MAX_DEPTH) throw tooDeep(fileName);
        handler.onopentag(name, attributes);
      },
      onclosetag: () => {
        depth--;
        handler.onclosetag();
      },
      ontext: (data) => handler.ontext(data),
      oncdatastart: () => handler.oncdatastart(),
      oncdataend: () => handler.oncdataend(),
      onend: () => handler.onend(),
    },
    { xmlMode: true },
  );
  parser.end(text);
  return handler.root as HtmlNode;
}

/** Throws `invalid_request` for XML nested deeper than the readers can handle. */
export function checkXmlDepth(text: string, fileName: string): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentagname: () => {
        if (++depth > MAX_DEPTH) throw tooDeep(fileName);
      },
      onclosetag: () => {
        depth--;
      },
    },
    { xmlMode: true, decodeEntities: false },
  );
  parser.end(text);
}

export interface XmlEvents {
  /** The name is without its prefix, the attribute names with theirs. */
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text(data: string): void;
  close(name: string): void;
}

export interface XmlStream {
  readonly pieces: AsyncIterable<Buffer>;
  readonly fileName: string;
  readonly signal: AbortSignal;
}

/** Reads XML as a stream, for parts too large for a tree. As safe as `parseXml`. */
export async function streamXml({ pieces, fileName, signal }: XmlStream, events: XmlEvents): Promise<void> {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (++depth > MAX_DEPTH) throw tooDeep(fileName);
        events.open(localName(name), attributes);
      },
      onclosetag: (name) => {
        depth--;
        events.close(localName(name));
      },
      ontext: (data) => events.text(data),
    },
    { xmlMode: true },
  );
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    signal.throwIfAborted();
    parser.write(decoder.decode(piece, { stream: true }));
  }
  parser.end(decoder.decode());
}

const tooDeep = (fileName: string): ServiceError =>
  new ServiceError('invalid_request', `The XML of ${fileName} is nested more than ${MAX_DEPTH} levels deep.`);

/** `p` of `w:p`: prefixes are chosen freely by each writer. */
export function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

/** An attribute by its local name; unprefixed ones first. */
export function attributeOf(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  const plain = attributes[name];
  if (plain !== undefined) return plain;
  for (const key in attributes) if (localName(key) === name) return attributes[key];
  return undefined;
}

/** Child elements, optionally only those with this local name. */
export const elementsOf = (node: HtmlNode, name?: string): HtmlElement[] =>
  childrenOf(node).filter(
    (child): child is HtmlElement => isElement(child) && (name === undefined || localName(child.name) === name),
  );

/** All elements below a node with this local name, in order, without those nested in one another. */
export function* elementsBelow(node: HtmlNode, name: string): Generator<HtmlElement, void> {
  for (const child of childrenOf(node)) {
    if (!isElement(child)) continue;
    if (localName(child.name) === name) yield child;
    else yield* elementsBelow(child, name);
  }
}

/** The first element below with this local name. */
export const firstBelow = (node: HtmlNode, name: string): HtmlElement | undefined =>
  elementsBelow(node, name).next().value ?? undefined;
