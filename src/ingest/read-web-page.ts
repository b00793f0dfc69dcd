import type { FetchedPage } from '../web/page-fetcher.ts';
import type { PageContent } from '../web/web-pages.ts';
import { inUtf8 } from './in-utf8.ts';
import { detectType } from './readers/detect-type.ts';
import { readFeed } from './readers/html/feed.ts';
import { readHtmlPage } from './readers/html/html-page.ts';
import { toMarkdown } from './readers/html/to-markdown.ts';
import { readDocument } from './readers/index.ts';

/** Extracts the text of a fetched page or file with the readers of ingestion. */
export async function readWebPage(fetched: FetchedPage, signal: AbortSignal): Promise<PageContent> {
  const page = { ...fetched, bytes: inUtf8(fetched) };
  const { type } = await detectType(page);
  if (type === 'html') return readHtmlPage(page.bytes, page.url);
  const feed = type === 'xml' || type === 'txt' ? readFeed(page.bytes, page.url) : undefined;
  if (feed !== undefined) return feed;
  const { text, blocks, title, metadata } = await readDocument(type, { ...page, signal });
  const word = (name: string) => {
    const value = metadata[name];
    return typeof value === 'string' && value !== '' ? { [name]: value } : {};
  };
  return {
    type,
    text,
    markdown: type === 'md' ? text : toMarkdown(text, blocks),
    ...(title !== undefined && { title }),
    ...word('author'),
    ...word('published'),
    ...word('language'),
    hiddenCharacters: 0,
  };
}
