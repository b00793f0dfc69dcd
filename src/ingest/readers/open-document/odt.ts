import { ServiceError } from '../../../errors.ts';
import { createTextBuilder } from '../build-text.ts';
import type { ZipPackage } from '../containers/zip-package.ts';
import { readProperties } from '../office/office-properties.ts';
import type { Reader } from '../reader.ts';
import { elementsBelow, firstBelow, parseXml } from '../xml/xml.ts';
import { addOpenDocumentBlocks, type OpenDocumentContext, stylesOf } from './open-document.ts';
import { openDocumentPackage } from './open-document-package.ts';

/** OpenDocument texts: headings, lists, tables, text boxes, notes and comments. */
export const odtReader: Reader = {
  async read({ bytes, fileName }) {
    const file = openDocumentPackage({ bytes, fileName, what: 'an OpenDocument text' });
    const root = contentOf(file, fileName);
    const builder = createTextBuilder();
    const context: OpenDocumentContext = { styles: stylesOf(root), notes: [] };
    const body = firstBelow(root, 'body');
    for (const text of body === undefined ? [] : elementsBelow(body, 'text'))
      addOpenDocumentBlocks(builder, text, context);
    builder.add('list', context.notes.map((note, index) => `${index + 1}. ${note}`).join('\n'));
    const { title, ...metadata } = readProperties(file, 'meta.xml', fileName);
    const content = builder.finish();
    const [first] = content.blocks;
    const shown =
      title ??
      (first?.kind === 'heading' && first.level === 1 ? content.text.slice(first.start, first.end) : undefined);
    return { ...content, ...(shown === undefined ? {} : { title: shown }), metadata };
  },
};

/** The tree of `content.xml`. Throws `invalid_request` when it is missing or encrypted. */
export function contentOf(file: ZipPackage, fileName: string) {
  if (/<manifest:encryption-data\b/.test(file.text('META-INF/manifest.xml') ?? '')) {
    throw new ServiceError(
      'invalid_request',
      `${fileName} is encrypted and needs a password. Save it without one first.`,
    );
  }
  const text = file.text('content.xml');
  if (text === undefined) throw new ServiceError('invalid_request', `${fileName} is damaged: it has no content part.`);
  return parseXml(text, fileName);
}
