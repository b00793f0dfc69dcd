import type { Cheerio, CheerioAPI } from 'cheerio';
import { cleanLine } from '../encoding/clean-text.ts';
import { authorName, shownAuthor } from './html-author.ts';
import { dateInAddress, isoDate, shownDate } from './html-dates.ts';
import { elementsWhere, type HtmlElement } from './html-nodes.ts';

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
  /** Whether the page declares itself an article. */
  readonly isArticle: boolean;
}

type Name = Exclude<keyof HtmlMetadata, 'isArticle'>;

/** The first match wins. `meta` names a meta element, `json` members of the JSON-LD article, the rest is text. */
const META: ReadonlyMap<string, Name> = new Map(
  Object.entries<Name>({
    'og:title': 'title',
    'twitter:title': 'title',
    author: 'author',
    'article:author': 'author',
    'dc.creator': 'author',
    'parsely-author': 'author',
    description: 'description',
    'og:description': 'description',
    'dcterms.creator': 'author',
    citation_author: 'author',
    'sailthru.author': 'author',
    byl: 'author',
    'article:published_time': 'published',
    'og:published_time': 'published',
    'og:article:published_time': 'published',
    datepublished: 'published',
    citation_publication_date: 'published',
    'dcterms.date': 'published',
    'dcterms.created': 'published',
    'dc.date.issued': 'published',
    'dc.date.created': 'published',
    'dc.date': 'published',
    'parsely-pub-date': 'published',
    'sailthru.date': 'published',
    'cxenseparse:recs:publishtime': 'published',
    pubdate: 'published',
    publishdate: 'published',
    'publish-date': 'published',
    date: 'published',
    'og:pubdate': 'published',
    'og:site_name': 'site',
    'application-name': 'site',
  }),
);

const TAGS = new Set(['html', 'meta', 'link', 'title', 'h1', 'script']);

type Select = (selector: string) => Cheerio<HtmlElement>;

/** Selects among the elements of `TAGS`. One pass over a long page is faster than one for each selector. */
function selectorOf($: CheerioAPI): Select {
  const candidates = $(
    $.root()
      .get()
      .flatMap((root) => elementsWhere(root, ({ name }) => TAGS.has(name))),
  );
  return (selector) => candidates.filter(selector);
}

/** Longer lists are cut, and nested lists are ignored: they name nobody that a reader looks for. */
const MAX_AUTHORS = 50;
const ARTICLE_TYPES = /(?:Article|Posting|Report|Page|Recipe|Product|HowTo|Event|Course|Book|Review)$/;

export function readHtmlMetadata($: CheerioAPI, url?: string): HtmlMetadata {
  const select = selectorOf($);
  const found = new Map<Name, string>();
  const take = (name: Name, value: unknown) => {
    if (typeof value !== 'string' || found.has(name)) return;
    const text = cleanLine(value);
    if (text !== '') found.set(name, text);
  };
  const metas = new Map<Name, [rank: number, value: string]>();
  const order = [...META.keys()];
  for (const element of select('meta[content]').get()) {
    const key = (
      element.attribs['property'] ??
      element.attribs['name'] ??
      element.attribs['itemprop'] ??
      ''
    ).toLowerCase();
    const name = META.get(key);
    // Some sites give a profile URL as the author.
    if (name === undefined || (name === 'author' && /^https?:/.test(element.attribs['content'] ?? ''))) continue;
    const rank = order.indexOf(key);
    const known = metas.get(name);
    const value = element.attribs['content'] ?? '';
    if (value.trim() !== '' && (known === undefined || rank < known[0])) metas.set(name, [rank, value]);
  }
  take('site', metas.get('site')?.[1]);
  const site = found.get('site');
  const clean: Partial<Record<Name, (value: string) => string | undefined>> = {
    author: (value) => authorName(value, site),
    published: (value) => isoDate(value),
  };
  const takeClean = (name: 'author' | 'published', value: unknown) => {
    if (typeof value === 'string') take(name, clean[name]?.(value));
  };
  take('published', dateInAddress(url));
  for (const [name, [, value]] of metas) take(name, clean[name] === undefined ? value : clean[name](value));
  const items = structuredData($, select);
  for (const article of items.filter(isArticle)) {
    takeClean('author', nameOf(resolved(article['author'], items)) ?? nameOf(article['creator']));
    takeClean('published', article['datePublished']);
    take('language', article['inLanguage']);
    take('site', nameOf(article['publisher']));
    if (typeof article['articleBody'] === 'string' && !found.has('articleBody'))
      found.set('articleBody', article['articleBody']);
  }
  take('title', select('head > title').first().text());
  take('title', select('h1').first().text());
  const headline = headlineWithin(select, $, found.get('title'));
  if (headline !== undefined) found.set('title', headline);
  if (!found.has('author')) take('author', shownAuthor($, site));
  if (!found.has('published')) take('published', shownDate($));
  take(
    'language',
    select('html').attr('lang') ??
      select('html').attr('xml:lang') ??
      select('meta[http-equiv=content-language]').attr('content'),
  );
  const canonical =
    select('link[rel=canonical]').first().attr('href') ?? select('meta[property="og:url"]').first().attr('content');
  const whole = canonical === undefined ? null : URL.parse(canonical, url);
  if (whole !== null && /^https?:$/.test(whole.protocol)) take('canonicalUrl', whole.href);
  const isText = (item: Readonly<Record<string, unknown>>) =>
    [item['@type']].flat().some((type) => typeof type === 'string' && /(?:Article|BlogPosting|Report)$/.test(type));
  const isArticleMeta =
    select('meta[property="og:type"]').attr('content')?.toLowerCase() === 'article' || items.some(isText);
  return { ...Object.fromEntries(found), isArticle: isArticleMeta };
}

/** The articles, products… of all JSON-LD blocks. Invalid blocks are skipped. */
function structuredData($: CheerioAPI, select: Select): Readonly<Record<string, unknown>>[] {
  return select('script[type="application/ld+json"]')
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
    });
}

const isArticle = (item: Readonly<Record<string, unknown>>): boolean =>
  [item['@type']].flat().some((type) => typeof type === 'string' && ARTICLE_TYPES.test(type));

/** Resolves a reference (`@id`) to another item of the same data, such as the author. */
function resolved(value: unknown, items: readonly Readonly<Record<string, unknown>>[]): unknown {
  if (Array.isArray(value))
    return value.slice(0, MAX_AUTHORS).map((each) => (Array.isArray(each) ? undefined : resolved(each, items)));
  const { '@id': id, name } = Object(value) as { readonly '@id'?: unknown; readonly name?: unknown };
  if (typeof id !== 'string' || name !== undefined) return value;
  return items.find((item) => item['@id'] === id && item['name'] !== undefined);
}

/** The heading contained in a title that also names the site or section. */
function headlineWithin(select: Select, $: CheerioAPI, title: string | undefined): string | undefined {
  if (title === undefined) return undefined;
  for (const heading of select('h1').slice(0, 3).get()) {
    const text = cleanLine($(heading).text());
    const at = text.length < 4 ? -1 : title.toLowerCase().indexOf(text.toLowerCase());
    // The rest of the title must be set off by a separator; otherwise the heading is only a part of a longer one.
    if (at === -1 || text.length === title.length) continue;
    const before = title.slice(0, at);
    const after = title.slice(at + text.length);
    if (/^$|[|:»›–—-]\s*$/.test(before) && /^$|^\s*[|:«»›‹–—·•/-]/.test(after)) return text;
  }
  return undefined;
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
    const names = value.slice(0, MAX_AUTHORS).flatMap((each) => (Array.isArray(each) ? [] : (nameOf(each) ?? [])));
    return names.length === 0 ? undefined : names.join(', ');
  }
  const { name } = Object(value) as { readonly name?: unknown };
  return typeof name === 'string' ? name : undefined;
}
