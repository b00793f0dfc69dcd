import { load } from 'cheerio';
import { ServiceError } from '../../../errors.ts';
import { createTextBuilder } from '../build-text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import { limitNesting } from '../limit-nesting.ts';
import type { Reader } from '../reader.ts';
import { addHtmlBlocks } from './html-blocks.ts';
import { declaredCharset } from './html-charset.ts';
import { findMainContent } from './html-main-content.ts';
import { readHtmlMetadata } from './html-metadata.ts';
import { cleaning, prepareHtml } from './prepare-html.ts';

/** Web pages: the main content without navigation and other boilerplate, tables in Markdown. */
export const htmlReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes, { declared: declaredCharset(bytes) });
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const $ = load(limitNesting(decoded.text));
    const { title, articleBody, isArticle, canonicalUrl: _, site: __, ...metadata } = readHtmlMetadata($);
    const evidence = { title, description: metadata.description, articleBody, isArticle };
    prepareHtml($);
    const builder = createTextBuilder();
    for (const root of findMainContent($, evidence)) addHtmlBlocks(cleaning(builder), root);
    return { ...builder.finish(), ...(title === undefined ? {} : { title }), metadata };
  },
};
