import { load } from 'cheerio';
import { oneLine } from '../../../shared/text.ts';
import type { PageContent } from '../../../web/web-pages.ts';
import { decodeText } from '../encoding/decode-text.ts';
import { declaredCharset } from './html-charset.ts';

const ROOT = /<(?:rss|feed|rdf:RDF)\b/;
const MAX_ENTRIES = 200;
const MAX_SUMMARY_LENGTH = 2_000;

/** An RSS, RDF or Atom feed as a list of its entries; undefined when it is not a feed. */
export function readFeed(bytes: Uint8Array, url: string): PageContent | undefined {
  const decoded = decodeText(bytes, { declared: declaredCharset(bytes) });
  if (decoded === undefined || !ROOT.test(decoded.text.slice(0, 2_000))) return undefined;
  const $ = load(decoded.text, { xml: true });
  const root = $('rss > channel, rdf\\:RDF > channel, feed').first();
  if (root.length === 0) return undefined;
  const child = (of: ReturnType<typeof $>, ...names: readonly string[]): string => {
    for (const name of names) {
      const text = of.children(name.replace(':', '\\:')).first().text().trim();
      if (text !== '') return plain(text);
    }
    return '';
  };
  const entries = $('item, entry')
    .slice(0, MAX_ENTRIES)
    .get()
    .map((element) => {
      const entry = $(element);
      const atomLink = entry
        .children('link[href]')
        .filter((_, link) => ['alternate', undefined].includes($(link).attr('rel')));
      const link = atomLink.first().attr('href') ?? child(entry, 'link', 'guid');
      return {
        title: child(entry, 'title'),
        url: URL.parse(link, url)?.href ?? '',
        date: child(entry, 'pubDate', 'published', 'updated', 'dc:date'),
        author: child(
          entry.children('author').children('name').length > 0 ? entry.children('author') : entry,
          'name',
          'dc:creator',
          'author',
        ),
        summary: child(entry, 'description', 'summary', 'content:encoded', 'content').slice(0, MAX_SUMMARY_LENGTH),
      };
    });
  const title = child(root, 'title');
  const about = child(root, 'description', 'subtitle');
  const render = (withLinks: boolean) =>
    [
      ...(about === '' ? [] : [about]),
      ...entries.map(({ title: name, url: address, date, author, summary }) => {
        const heading = withLinks && address !== '' ? `[${name.replaceAll(/[[\]]/g, '\\$&')}](${address})` : name;
        const facts = [date, author].filter((fact) => fact !== '').join(' · ');
        return [
          `${withLinks ? '## ' : ''}${heading}`,
          ...(facts === '' ? [] : [facts]),
          ...(summary === '' ? [] : [summary]),
        ].join('\n\n');
      }),
    ].join('\n\n');
  const language = child(root, 'language');
  return {
    type: 'feed',
    text: render(false),
    markdown: render(true),
    ...(title !== '' && { title }),
    ...(language !== '' && { language }),
    hiddenCharacters: 0,
  };
}

/** Summaries often contain escaped HTML. */
const plain = (text: string): string => {
  const shown = /<[a-z][^>]*>/i.test(text) ? load(text, null, false).text() : text;
  return oneLine(shown);
};
