import type { Metadata } from '../../../documents/document.ts';
import { ServiceError } from '../../../errors.ts';
import type { ZipPackage } from '../containers/zip-package.ts';
import { cleanText } from '../encoding/clean-text.ts';
import { textBelow } from '../html/html-nodes.ts';
import { elementsBelow, parseXml } from '../xml/xml.ts';

export type DocumentProperties = Metadata & { readonly title?: string };

/** Our names → the source elements, of which the first present one is used. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  title: ['title'],
  author: ['initial-creator', 'creator'],
  created: ['created', 'creation-date'],
  modified: ['modified', 'date'],
  language: ['language'],
  subject: ['subject'],
  keywords: ['keywords', 'keyword'],
};

/** The document properties of an Office or OpenDocument file, from `docProps/core.xml` or `meta.xml`. */
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

/** Missing properties do not prevent reading the document. */
function optional<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_request') return undefined;
    throw error;
  }
}
