import type { CheerioAPI } from 'cheerio';
import { oneLine } from '../../../shared/text.ts';
import { elementsWhere, type HtmlElement, nameOf, textBelow } from './html-nodes.ts';

const PREFIX =
  /^(?:(?:(?:written|posted|published|story|text|article|review) )?by|von|par|por|di|door|od|автор|(?:view|zeige) all(?:e)? (?:posts|beiträge) (?:by|von)|alle beiträge von|(?:ein )?(?:beitrag|artikel|gastbeitrag|text|kommentar) von|(?:text|autor(?:in|en)?|author|auteur|autore|redaktion|verfasst von|geschrieben von|publié par|rédigé par|veröffentlicht von|posted on .{6,30} by)\s*:?)\s*[:：]?\s+/iu;
/** Maximum number of characters read of a value; longer values are not names. */
const MAX_READ = 500;
/** Account names and placeholders that name nobody. */
const NOBODY =
  /^(?:(?:wordpress)?admin(?:istrator)?|webmaster|editor|author|guest|gast|user|staff|root|unknown|null|undefined|anonymous|by|von)$/i;
const NAMED = [
  '[itemprop=author] [itemprop=name], [itemprop~=author]',
  '[rel=author]',
  '.author.vcard .fn, .vcard .fn, .p-author, .author-name, .authorname, .article-author, .entry-author, .post-author, .byline-name, .byline__name',
  'a[href*="/author/"], a[href*="/autor/"], a[href*="/authors/"], a[href*="/autoren/"], a[href*="/auteur/"]',
  '[class~=author], [id~=author], [class~=autor], [class~=byline], [class~=Byline], [class*=article__author], [class*=author__name]',
];

/** What all elements have that `NAMED` selects. One pass over a long page is faster than one for each selector. */
const mayNameAuthor = (element: HtmlElement): boolean =>
  'itemprop' in element.attribs ||
  'rel' in element.attribs ||
  /\/aut(?:h?or|oren|eur)/.test(element.attribs['href'] ?? '') ||
  /aut(?:h?or)|vcard|byline|(?:^|\s)fn(?:\s|$)/i.test(nameOf(element));

/** Extracts a name from a byline, without the words around it; undefined if there is none. */
export function authorName(value: string, site = ''): string | undefined {
  let name = oneLine(value.slice(0, MAX_READ).replaceAll(/<[^<>]*>/g, ' '));
  for (let before = ''; before !== name; ) {
    before = name;
    name = name.replace(PREFIX, '').trim();
  }
  name = name.replace(/\s*(?:\||·|•|—|–| - |\(|@|\d{1,2}[./]\d).*$/u, '').replace(/(?:^[\s,;:–-]+|[\s,;:–-]+$)/g, '');
  if (name.length < 2 || name.length > 100 || !/\p{L}/u.test(name) || /https?:|www\.|[{}[\]]/.test(name))
    return undefined;
  if (NOBODY.test(name) || name.toLowerCase() === site.toLowerCase()) return undefined;
  return name;
}

/** The author that a page shows in one of the places where articles name theirs. */
export function shownAuthor($: CheerioAPI, site: string | undefined): string | undefined {
  const [root] = $.root().get();
  const candidates = root === undefined ? [] : elementsWhere(root, mayNameAuthor);
  for (const selector of NAMED) {
    const names: string[] = [];
    for (const element of $(candidates).filter(selector).slice(0, 3).get()) {
      if ($(element).closest('.comments, #comments, .comment, .comment-list, footer, aside').length > 0) continue;
      const text = element.attribs['content'] ?? textBelow(element);
      const name = text.length < 120 ? authorName(text, site) : undefined;
      // More than six words are a sentence about somebody, and digits are a date.
      if (name !== undefined && name.split(' ').length <= 6 && !/\d/.test(name)) names.push(name);
    }
    if (names[0] !== undefined) return names[0];
  }
  return undefined;
}
