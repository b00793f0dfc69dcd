import type { Metadata } from '../../documents/document.ts';
import { cleanText } from './clean-text.ts';
import { textBelow } from './html-nodes.ts';
import { elementsBelow, parseXml } from './xml.ts';
import type { ZipPackage } from './zip-package.ts';

export type DocumentProperties = Metadata & { readonly title?: string };

/** Names of our own → the elements they are taken from, the first that is there. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  title: ['title'],
  author: ['initial-creator', 'creator'],
  created: ['created', 'creation-date'],
  modified: ['modified', 'date'],
  language: ['language'],
  subject: ['subject'],
  keywords: ['keywords', 'keyword'],
};

/** What an Office or OpenDocument file says of itself: `docProps/core.xml`, or `meta.xml`. */
export function readProperties(file: ZipPackage, part: string, fileName: string): DocumentProperties {
  const text = file.text(part);
  if (text === undefined) return {};
  const root = parseXml(text, fileName);
  const properties: Record<string, string> = {};
  for (const [name, elements] of Object.entries(FIELDS)) {
    for (const element of elements) {
      const values = [...elementsBelow(root, element)].map((found) => cleanText(textBelow(found)).trim());
      const value = values
        .filter((one) => one !== '')
        .join(', ')
        .slice(0, MAX_VALUE);
      if (value !== '') properties[name] ??= value;
    }
  }
  return properties;
}

const MAX_VALUE = 1_000;
