import { Parser } from 'htmlparser2';
import type { FetchedPage } from '../../../web/page-fetcher.ts';

const MAX_LINKS = 50_000;

/** The URLs that an HTML page links to, without duplicates; empty if the page forbids following links (`nofollow`). */
export function pageLinks({ bytes, url, mediaType }: FetchedPage): readonly string[] {
  if (mediaType !== undefined && !mediaType.includes('html')) return [];
  let isClosed = false;
  let base: string | undefined;
  const references = new Set<string>();
  // Parsed as a stream, because a tree takes hundreds of times the memory of the page.
  const parser = new Parser({
    onopentag(name, { href, rel, name: meta, content }) {
      if (name === 'meta' && /^robots$/i.test(meta ?? '') && /nofollow/i.test(content ?? '')) isClosed = true;
      if (href === undefined) return;
      if (name === 'base') base ??= href;
      const isFollowed = (name === 'a' || name === 'area') && !/\bnofollow\b/i.test(rel ?? '');
      if (isFollowed && references.size < MAX_LINKS) references.add(href);
    },
  });
  parser.write(new TextDecoder().decode(bytes));
  parser.end();
  if (isClosed) return [];
  const start = URL.parse(base ?? '', url)?.href ?? url;
  const links = new Set<string>();
  for (const reference of references) {
    const target = URL.parse(reference, start);
    if (target === null || !/^https?:$/.test(target.protocol) || target.username !== '') continue;
    target.hash = '';
    links.add(target.href);
  }
  return [...links];
}
