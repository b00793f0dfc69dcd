import type { CheerioAPI } from 'cheerio';
import { cleanLine } from '../encoding/clean-text.ts';

/** Metadata from a page's head and its structured data. */
export interface HtmlMetadata {
  readonly title?: string;
  readonly author?: string;
  readonly description?: string;
  readonly published?: string;
  readonly language?: string;
  readonly site?: string;
  readonly canonicalUrl?: string;
  /** The article's text according to the structured data. */
  readonly articleBody?: string;
}

type Name = keyof HtmlMetadata;

/** The first match wins. `meta` names a meta element, `json` members of the JSON-LD article, the rest is text. */
const META: Readonly<Record<string, Name>> = {
  'og:title': 'title',
  'twitter:title': 'title',
  author: 'author',
  'article:author': 'author',
  'dc.creator': 'author',
  'parsely-author': 'author',
  description: 'description',
  'og:description': 'description',
  'article:published_time': 'published',
  date: 'published',
  'dc.date': 'published',
  'parsely-pub-date': 'published',
  'og:site_name': 'site',
  'application-name': 'site',
};

const ARTICLE_TYPES = /(?:Article|Posting|Report|Page|Recipe|Product|HowTo|Event|Course|Book|Review)$/;

export function readHtmlMetadata($: CheerioAPI, url?: string): HtmlMetadata {
  const found = new Map<Name, string>();
  const take = (name: Name, value: unknown) => {
    if (typeof value !== 'string' || found.has(name)) return;
    const text = cleanLine(value);
    if (text !== '') found.set(name, text);
  };
  const metas = new Map<Name, [rank: number, value: string]>();
  const order = Object.keys(META);
  for (const element of $('meta[content]').get()) {
    const key = (
      element.attribs['property'] ??
      element.attribs['name'] ??
      element.attribs['itemprop'] ??
      ''
    ).toLowerCase();
    const name = META[key];
    // Some sites give a profile URL as the author.
    if (name === undefined || (name === 'author' && /^https?:/.test(element.attribs['content'] ?? ''))) continue;
    const rank = order.indexOf(key);
    const known = metas.get(name);
    const value = element.attribs['content'] ?? '';
    if (value.trim() !== '' && (known === undefined || rank < known[0])) metas.set(name, [rank, value]);
  }
  for (const [name, [, value]] of metas) take(name, value);
  for (const article of structuredData($)) {
    take('author', nameOf(article['author']) ?? nameOf(article['creator']));
    take('published', article['datePublished']);
    take('language', article['inLanguage']);
    take('site', nameOf(article['publisher']));
    if (typeof article['articleBody'] === 'string' && !found.has('articleBody'))
      found.set('articleBody', article['articleBody']);
  }
  take('title', $('head > title').first().text());
  take('title', $('h1').first().text());
  take('author', $('[rel=author], [itemprop=author] [itemprop=name], [itemprop=author]').first().text().slice(0, 120));
  take(
    'published',
    $('time[datetime]').first().attr('datetime') ?? $('[itemprop=datePublished]').first().attr('content'),
  );
  take(
    'language',
    $('html').attr('lang') ?? $('html').attr('xml:lang') ?? $('meta[http-equiv=content-language]').attr('content'),
  );
  const canonical =
    $('link[rel=canonical]').first().attr('href') ?? $('meta[property="og:url"]').first().attr('content');
  const whole = canonical === undefined ? null : URL.parse(canonical, url);
  if (whole !== null && /^https?:$/.test(whole.protocol)) take('canonicalUrl', whole.href);
  return Object.fromEntries(found);
}

/** The articles, products… of all JSON-LD blocks. Invalid blocks are skipped. */
function structuredData($: CheerioAPI): Readonly<Record<string, unknown>>[] {
  return $('script[type="application/ld+json"]')
    .get()
    .flatMap((script) => {
      try {
        return flatten(
          JSON.parse(
            $(script)
              .text()
              .trim()
              .replace(/^<!--|-->$/g, ''),
          ),
        );
      } catch {
        return [];
      }
    })
    .filter((item) => [item['@type']].flat().some((type) => typeof type === 'string' && ARTICLE_TYPES.test(type)));
}

function flatten(value: unknown): Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value)) return value.flatMap(flatten);
  if (typeof value !== 'object' || value === null) return [];
  const record = value as Readonly<Record<string, unknown>>;
  return [record, ...flatten(record['@graph']), ...flatten(record['mainEntity'])];
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const names = value.flatMap((each) => nameOf(each) ?? []);
    return names.length === 0 ? undefined : names.join(', ');
  }
  const { name } = Object(value) as { readonly name?: unknown };
  return typeof name === 'string' ? name : undefined;
}
