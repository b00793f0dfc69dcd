import { load } from 'cheerio';
import { ServiceError } from '../../../errors.ts';
import { lettersAndDigits } from '../../../shared/text.ts';
import type { PageContent } from '../../../web/web-pages.ts';
import { createTextBuilder } from '../build-text.ts';
import { cleanText } from '../encoding/clean-text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import { limitNesting } from '../limit-nesting.ts';
import type { Block } from '../reader.ts';
import { addHtmlBlocks, type InlineStyle, plainStyle } from './html-blocks.ts';
import { declaredCharset } from './html-charset.ts';
import { findMainContent } from './html-main-content.ts';
import { readHtmlMetadata } from './html-metadata.ts';
import { type HtmlElement, type HtmlNode, textBelow } from './html-nodes.ts';
import { cleaning, prepareHtml } from './prepare-html.ts';
import { fenced, toMarkdown } from './to-markdown.ts';

/** A page with fewer characters than this, and with scripts, presumably renders its content by script. */
const MIN_TEXT_CHARACTERS = 250;
const SCRIPT_ROOT =
  /<(?:div|main)[^<>]+id=["']?(?:root|app|__next|__nuxt|svelte|q-app|main-app)\b|enable javascript|requires javascript/i;

/** A page as Markdown for immediate reading: its main content with links and emphasis, and its metadata. */
export function readHtmlPage(bytes: Uint8Array, url: string): PageContent {
  const decoded = decodeText(bytes, { declared: declaredCharset(bytes) });
  if (decoded === undefined) throw new ServiceError('invalid_request', `${url} holds no readable text.`);
  const $ = load(limitNesting(decoded.text));
  const { articleBody, isArticle, description, title, author, published, language, site, canonicalUrl } =
    readHtmlMetadata($, url);
  const base = URL.parse($('base[href]').first().attr('href') ?? '', url)?.href ?? url;
  const hiddenCharacters = prepareHtml($);
  const roots = findMainContent($, { title, description, articleBody, isArticle });
  const plain = blocksOf(roots, title, textStyle);
  const marked = blocksOf(roots, title, markdownStyle(base));
  // Pages rendered by scripts often give the full article to search engines as structured data.
  const isStub = articleBody !== undefined && plain.text.length < Math.min(600, articleBody.length / 2);
  return {
    type: 'html',
    text: isStub ? cleanText(articleBody) : plain.text,
    markdown: isStub ? cleanText(articleBody) : toMarkdown(marked.text, marked.blocks),
    ...(title !== undefined && { title }),
    ...(author !== undefined && { author }),
    ...(published !== undefined && { published }),
    ...(language !== undefined && { language }),
    ...(site !== undefined && { site }),
    ...(canonicalUrl !== undefined && { canonicalUrl }),
    hiddenCharacters,
    needsScripts: !isStub && plain.text.length < MIN_TEXT_CHARACTERS && SCRIPT_ROOT.test(decoded.text),
  };
}

function blocksOf(
  roots: readonly HtmlNode[],
  title: string | undefined,
  style: InlineStyle,
): { readonly text: string; readonly blocks: readonly Block[] } {
  const builder = createTextBuilder();
  const cleaned = cleaning(builder);
  let isFirst = true;
  const untitled: typeof builder = {
    ...builder,
    add(kind, text, heading) {
      // The title is returned separately from the text.
      const repeats = isFirst && kind === 'heading' && title !== undefined && isTitle(text, title);
      if (text.trim() !== '') isFirst = false;
      if (!repeats) cleaned.add(kind, text, heading);
    },
  };
  for (const root of roots) addHtmlBlocks(untitled, root, style);
  return builder.finish();
}

/** Page titles often end with the site's name. */
const isTitle = (heading: string, title: string): boolean => {
  const own = lettersAndDigits(heading);
  return own !== '' && lettersAndDigits(title).startsWith(own);
};

/** Style of the text in which passages are searched; the alternative text of pictures is only in the Markdown. */
const textStyle: InlineStyle = { ...plainStyle, image: () => '' };

const markdownStyle = (base: string): InlineStyle => ({
  link(text, element) {
    const words = text.replaceAll(/\s+/g, ' ');
    const target = targetOf(element, base);
    if (target === undefined || words.trim() === '' || words.includes('](')) return text;
    const [before, inner, after] = trimmed(words);
    return `${before}[${inner.replaceAll(/[[\]]/g, '\\$&')}](${target})${after}`;
  },
  code(text) {
    const inner = text.trim();
    return inner === '' || inner.includes('`') || inner.includes('\n') ? text : `\`${inner}\``;
  },
  emphasis(text, mark) {
    const [before, inner, after] = trimmed(text);
    return inner === '' || inner.includes('*') || inner.includes('\n')
      ? text
      : `${before}${mark}${inner}${mark}${after}`;
  },
  image(alternative, element) {
    const source = element.attribs['src'] ?? '';
    const url = source.startsWith('data:') ? null : URL.parse(source, base);
    const words = alternative.replaceAll(/[[\]]/g, '\\$&');
    return url === null || !/^https?:$/.test(url.protocol) ? alternative : `![${words}](${addressOf(url)})`;
  },
  codeBlock: (text, language) => (text.trim() === '' ? '' : fenced(text, language)),
});

/** Splits a text into leading white space, content and trailing white space. */
function trimmed(text: string): [before: string, inner: string, after: string] {
  const inner = text.trim();
  const at = text.length - text.trimStart().length;
  return [text.slice(0, at), inner, text.slice(at + inner.length)];
}

function targetOf(element: HtmlElement, base: string): string | undefined {
  const href = element.attribs['href']?.trim() ?? '';
  if (href === '' || href.startsWith('#') || textBelow(element).trim() === '') return undefined;
  const url = URL.parse(href, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  return addressOf(url);
}

const addressOf = ({ href }: URL): string => href.replaceAll('(', '%28').replaceAll(')', '%29');
