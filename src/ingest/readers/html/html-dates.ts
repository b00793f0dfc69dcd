import type { CheerioAPI } from 'cheerio';
import { oneLine } from '../../../shared/text.ts';
import {
  childrenOf,
  elementsWhere,
  type HtmlElement,
  type HtmlNode,
  isElement,
  nameOf,
  textBelow,
} from './html-nodes.ts';

/** First letters that distinguish the months, in languages with Latin script. */
const MONTHS = [
  /^(?:jan|jän|gen|ene|sty)/,
  /^(?:feb|fév|fev|lut)/,
  /^(?:m[aä]r(?!ch?es)|maa|mrz)/,
  /^(?:apr|avr|abr|kwi)/,
  /^(?:ma[iyjg](?!\p{L}{7})|mei)/u,
  /^(?:jun|juin|giu|cze)/,
  /^(?:jul|juil|lug|lip)/,
  /^(?:aug|aoû|aou|ago|sie)/,
  /^(?:sep|set|wrz)/,
  /^(?:o[ck]t|ott|out|paź)/,
  /^(?:nov|lis)/,
  /^(?:de[czs]|dic|dez|gru)/,
];
const DAY_MONTH_NAME =
  /\b(\d{1,2})(?:\.|st|nd|rd|th|er|º)?\s+(?:de\s+)?(\p{L}{3,10})\.?,?\s+(?:de\s+|del\s+)?((?:19|20)\d\d)\b/u;
const MONTH_NAME_DAY = /(?<!\p{L})(\p{L}{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)\b/u;
const NUMBERS = /(?<!\d|\d[./-])(\d{1,2})([./-])\s?(\d{1,2})\2\s?((?:19|20)\d\d|\d\d)(?!\2?\d)/;
/** Dates with a two-digit year; versions, sections and telephone numbers look the same. */
const SHORT_YEAR = /(?<!\d)\d{1,2}([./-])\s?\d{1,2}\1\s?\d\d(?!\d)/;
const YEAR_FIRST = /(?<!\d)((?:19|20)\d\d)(?:[-/.]|年\s?)(\d{1,2})(?:[-/.]|月\s?)(\d{1,2})(?!\d)/;
const NAMED = [
  'time[pubdate]',
  '[itemprop=datePublished]',
  'article time[datetime]',
  'main time[datetime]',
  'time[datetime]',
  'abbr.published, .dt-published',
  '.entry-date, .post-date, .postdate, .publish-date, .published, .date-published, .article-date, .posted-on, .dateline, .pubdate',
  '[class~=date], [class~=datum], [class~=time], [id~=date], .date-header, .post-meta, .entry-meta, .meta, .byline',
  'time',
];

/** What all elements have that `NAMED` selects. One pass over a long page is faster than one for each selector. */
const mayShowDate = (element: HtmlElement): boolean =>
  element.name === 'time' ||
  'itemprop' in element.attribs ||
  /date|datum|time|publish|meta|posted|byline/i.test(nameOf(element));

/** Converts a date as written on a page to ISO format, keeping the time of an ISO date; undefined if it is no date. */
export function isoDate(value: string, monthFirst = false): string | undefined {
  const text = oneLine(value);
  if (/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?\s?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text))
    return date(text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)) === undefined ? undefined : text;
  if (/^1\d{9}(?:\d{3})?$/.test(text)) return new Date(Number(text.padEnd(13, '0'))).toISOString().slice(0, 10);
  const first = YEAR_FIRST.exec(text);
  if (first !== null) return date(first[1], first[2], first[3]);
  const day = DAY_MONTH_NAME.exec(text);
  if (day !== null) return date(day[3], monthOf(day[2]), day[1]);
  const month = MONTH_NAME_DAY.exec(text);
  if (month !== null) return date(month[3], monthOf(month[1]), month[2]);
  const [, one = '', sign, two = '', year = ''] = NUMBERS.exec(text) ?? [];
  if (one === '') return undefined;
  const whole = year.length === 2 ? `20${year}` : year;
  const isMonthFirst = Number(two) > 12 || (monthFirst && sign === '/' && Number(one) <= 12);
  return isMonthFirst ? date(whole, one, two) : date(whole, two, one);
}

function monthOf(name = ''): string {
  const lower = name.toLowerCase();
  return String(MONTHS.findIndex((month) => month.test(lower)) + 1);
}

function date(year = '', month = '', day = ''): string | undefined {
  const found = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  return y >= 1990 && y <= 2100 && m >= 1 && m <= 12 && d >= 1 && d <= 31 ? found : undefined;
}

/** The date in a URL path such as `/2019/10/22/title`. */
export function dateInAddress(url: string | undefined): string | undefined {
  const [, year, , month, day] =
    /\/((?:19|20)\d\d)([/-])(\d\d?)\2(\d\d?)(?=[/-])/.exec(URL.parse(url ?? '')?.pathname ?? '') ?? [];
  return date(year, month, day);
}

/** The date that a page shows where articles show theirs, otherwise the first that stands alone in its body. */
export function shownDate($: CheerioAPI): string | undefined {
  const monthFirst = /^en(?:-us)?$/i.test($('html').attr('lang') ?? '');
  const [root] = $.root().get();
  const candidates = root === undefined ? [] : elementsWhere(root, mayShowDate);
  for (const selector of NAMED) {
    for (const element of $(candidates).filter(selector).slice(0, 5).get()) {
      const { attribs } = element;
      const text = textBelow(element);
      const values = [attribs['datetime'], attribs['content'], attribs['title'], text.length < 200 ? text : undefined];
      for (const value of values) {
        const found = value === undefined ? undefined : isoDate(value, monthFirst);
        if (found !== undefined) return found;
      }
    }
  }
  for (const root of $('body').get()) {
    const found = firstByItself(root, monthFirst);
    if (found !== undefined) return found;
  }
  return undefined;
}

const MAX_LINE = 60;
const ELSEWHERE = new Set(['script', 'style', 'noscript', 'nav', 'footer', 'aside', 'form', 'pre', 'select', 'svg']);

function firstByItself(node: HtmlNode, monthFirst: boolean): string | undefined {
  for (const child of childrenOf(node)) {
    if (child.type === 'text') {
      const text = child.data.trim();
      if (text.length < 6 || text.length > MAX_LINE || !/\d/.test(text) || SHORT_YEAR.test(text)) continue;
      const found = isoDate(text, monthFirst);
      if (found !== undefined) return found;
    } else if (
      isElement(child) &&
      !ELSEWHERE.has(child.name) &&
      !/comment|sidebar|footer|widget/i.test(nameOf(child))
    ) {
      const found = firstByItself(child, monthFirst);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
