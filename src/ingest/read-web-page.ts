import type { FetchedPage } from '../web/page-fetcher.ts';
import type { PageContent } from '../web/web-pages.ts';
import { detectType } from './readers/detect-type.ts';
import { readFeed } from './readers/html/feed.ts';
import { declaredCharset } from './readers/html/html-charset.ts';
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

/**
 * Converts the bytes to UTF-8 when the server names another encoding and neither the bytes nor the page contradict it:
 * the readers see only the bytes and could only guess.
 */
export function inUtf8({
  bytes,
  charset,
  mediaType,
}: Pick<FetchedPage, 'bytes' | 'charset' | 'mediaType'>): Uint8Array {
  if (charset === undefined || /^utf-?8$/.test(charset) || !/^text\/|xml|json/.test(mediaType ?? '')) return bytes;
  if (hasMark(bytes) || decoded(bytes, 'utf-8') !== undefined || declaredCharset(bytes) !== undefined) return bytes;
  const text = decoded(bytes, charset);
  return text === undefined ? bytes : Buffer.from(text, 'utf8');
}

const hasMark = ([a, b, c]: Uint8Array): boolean =>
  (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0xef && b === 0xbb && c === 0xbf);

function decoded(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
