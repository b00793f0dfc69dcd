import { type CheerioAPI, load } from 'cheerio';
import type { Metadata } from '../../documents/document.ts';
import { ServiceError } from '../../errors.ts';
import { createTextBuilder } from './build-text.ts';
import { cleanText } from './clean-text.ts';
import { decodeText } from './decode-text.ts';
import { addHtmlBlocks } from './html-blocks.ts';
import { declaredCharset } from './html-charset.ts';
import { type HtmlNode, isElement, textBelow } from './html-nodes.ts';
import { limitNesting } from './limit-nesting.ts';
import type { Reader } from './reader.ts';

/** Web pages: the main content without navigation and the like, tables in Markdown. */
export const htmlReader: Reader = {
  types: ['html'],
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes, { declared: declaredCharset(bytes) });
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const $ = load(limitNesting(decoded.text));
    const title = titleOf($);
    const metadata = metadataOf($);
    removeBoilerplate($);
    removeNoteMarks($);
    const builder = createTextBuilder();
    // Character references may stand for characters that raw text was already cleaned of.
    const cleaned: typeof builder = {
      ...builder,
      add: (kind, text, heading) => builder.add(kind, cleanText(text), heading),
    };
    for (const root of mainContent($)) addHtmlBlocks(cleaned, root);
    return { ...builder.finish(), ...(title === undefined ? {} : { title }), metadata };
  },
};

const BOILERPLATE = [
  'script',
  'style',
  'noscript',
  'template',
  'nav',
  'aside',
  'footer',
  'dialog',
  'form[role=search]',
  '[hidden]',
  '[aria-hidden=true]',
  '[role=navigation]',
  '[role=banner]',
  '[role=contentinfo]',
  '[role=complementary]',
  '[role=search]',
  '[role=dialog]',
  '[style*="display:none"]',
  '[style*="display: none"]',
  '[style*="visibility:hidden"]',
].join(', ');

const BOILERPLATE_NAME =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|sidebar|breadcrumbs?|cookies?|consent|share|sharing|social|related|newsletter|subscribe|advert\w*|ads?|promo|popup|modal|skip|pagination|toolbar|editsection|jump-link|noprint|catlinks|categories|printfooter|footer)(?:$|[\s_-])/i;

/** Names mean less than content: what is called a menu but holds most of the text is the text. */
const MAX_BOILERPLATE_SHARE = 0.4;

function removeBoilerplate($: CheerioAPI): void {
  $(BOILERPLATE)
    .filter((_, element) => isElement(element) && !['html', 'body', 'main', 'article'].includes(element.name))
    .remove();
  $('header')
    .filter((_, element) => $(element).closest('main, article').length === 0 && $(element).find('h1').length === 0)
    .remove();
  const total = lengthOf($('body').get(0));
  $('[class], [id]').each((_, element) => {
    const { name, attribs } = element;
    if (['html', 'body', 'main', 'article', 'h1', 'h2', 'h3', 'code', 'pre', 'table', 'p'].includes(name)) return;
    const names = `${attribs['class'] ?? ''} ${attribs['id'] ?? ''}`;
    if (!BOILERPLATE_NAME.test(names) || $(element).find('main, article, h1').length > 0) return;
    if (lengthOf(element) <= total * MAX_BOILERPLATE_SHARE) $(element).remove();
  });
}

/** `[3]` linked to a note says nothing where the note is not beside it, and would pass for a citation in an answer. */
export function removeNoteMarks($: CheerioAPI): void {
  $('sup')
    .filter(
      (_, element) =>
        /^\s*\[?\s*(?:\d{1,3}|[a-z]|note \d+)\s*\]?\s*$/i.test(textBelow(element)) &&
        $(element).find('a[href*="#"]').length > 0,
    )
    .remove();
}

/** The page's own mark of its content, when that holds a fair part of the text; else all of the body. */
function mainContent($: CheerioAPI): HtmlNode[] {
  const body = $('body').get();
  const total = lengthOf(body[0]);
  for (const selector of ['main', '[role=main]', 'article', '[itemprop=articleBody]']) {
    const found = $(selector)
      .filter((_, element) => $(element).parents(selector).length === 0)
      .get();
    const length = found.reduce((sum, element) => sum + lengthOf(element), 0);
    if (found.length > 0 && length >= total * 0.3 && length > 0) return found;
  }
  return body;
}

const lengthOf = (element: HtmlNode | undefined): number =>
  element === undefined ? 0 : textBelow(element).replace(/\s+/g, ' ').length;

function titleOf($: CheerioAPI): string | undefined {
  const candidates = [
    $('meta[property="og:title"]').attr('content'),
    $('head > title').first().text(),
    $('h1').first().text(),
  ];
  return candidates
    .map((text) =>
      cleanText(text ?? '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .find((text) => text !== '');
}

const META: Readonly<Record<string, readonly string[]>> = {
  author: ['meta[name=author]', 'meta[property="article:author"]'],
  description: ['meta[name=description]', 'meta[property="og:description"]'],
  published: ['meta[property="article:published_time"]', 'meta[name=date]'],
};

function metadataOf($: CheerioAPI): Metadata {
  const found = Object.entries(META).flatMap(([name, selectors]) => {
    const value = selectors.map((selector) => $(selector).first().attr('content')?.trim()).find(Boolean);
    return value === undefined ? [] : [[name, cleanText(value)] as const];
  });
  const language = $('html').attr('lang')?.trim();
  return Object.fromEntries(language ? [...found, ['language', language] as const] : found);
}
