import type { Metadata } from '../../documents/document.ts';
import { ServiceError } from '../../errors.ts';
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
  const root = optional(() => {
    const text = file.text(part);
    return text === undefined ? undefined : parseXml(text, fileName);
  });
  if (root === undefined) return {};
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

/** A document is read without its properties rather than not at all. */
function optional<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_request') return undefined;
    throw error;
  }
}
