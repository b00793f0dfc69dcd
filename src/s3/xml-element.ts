import { Parser } from 'htmlparser2';

/** An element of an answer of an S3 service, without its attributes. */
export interface XmlElement {
  readonly name: string;
  /** Its own text, without that of its children; entities are decoded. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** Deeper than any answer of S3. */
const MAX_DEPTH = 20;

/** The root element; undefined if this is no XML, breaks off or is nested too deeply. */
export function readXml(xml: string): XmlElement | undefined {
  const open: { readonly name: string; text: string; readonly children: XmlElement[] }[] = [];
  let root: XmlElement | undefined;
  const parser = new Parser(
    {
      onopentag(name) {
        const element = { name, text: '', children: [] };
        open.at(-1)?.children.push(element);
        root ??= element;
        open.push(element);
        if (open.length > MAX_DEPTH) parser.pause();
      },
      ontext(text) {
        const element = open.at(-1);
        if (element !== undefined) element.text += text;
      },
      onclosetag: () => void open.pop(),
    },
    { xmlMode: true },
  );
  // `end` would close what is still open.
  parser.write(xml);
  return open.length === 0 ? root : undefined;
}

/** The text of the first child of this name; empty if there is none. */
export const textOf = (element: XmlElement | undefined, name: string): string =>
  element?.children.find((child) => child.name === name)?.text ?? '';
