import { load } from 'cheerio';
import { describe, expect, it } from 'vitest';
import { readHtmlMetadata } from '../../../src/ingest/readers/html/html-metadata.ts';
import { readHtmlPage } from '../../../src/ingest/readers/html/html-page.ts';

const read = (html: string) => readHtmlPage(Buffer.from(html), 'https://site.example/a/page').text;
const SENTENCE = 'The gauge at the weir is read each morning, and what it shows is written down. ';
const OTHER = 'Levels of the last century were found in the cellar of the mill, in a box of tin. ';
const TEXT = `<h1>Gauges of the river</h1>${`<p>${SENTENCE.repeat(5)}</p>`.repeat(4)}`;
const OTHERS = `<h2>From our archive</h2>${`<p>${OTHER.repeat(5)}</p>`.repeat(6)}`;
const head = (more = '') => `<head><title>Gauges of the river</title>${more}</head>`;
const structured = (item: object) => `<script type="application/ld+json">${JSON.stringify(item)}</script>`;

describe('of several texts on a page', () => {
  it.each([
    ['the longest is marked as content', `${head()}<body><section>${TEXT}</section><main>${OTHERS}</main></body>`],
    [
      'the page calls itself an article',
      `${head('<meta property="og:type" content="article">')}<body><div><div>${TEXT}</div><div>${OTHERS}</div></div></body>`,
    ],
    [
      'its structured data has its text',
      `${head(structured({ '@type': 'NewsArticle', articleBody: SENTENCE.repeat(20) }))}<body><div><div>${TEXT}</div><div>${OTHERS}</div></div></body>`,
    ],
    [
      'its description begins it',
      `${head(`<meta name="description" content="${SENTENCE}">`)}<body><section>${TEXT}</section><main>${OTHERS}</main></body>`,
    ],
  ])('the one below the heading that the title names is taken: %s', (_, html) => {
    const text = read(`<html>${html}</html>`);
    expect(text).toContain('The gauge at the weir');
    expect(text).not.toContain('in a box of tin');
  });

  it.each([
    ['nothing speaks for a single one', `${head()}<body><div><div>${TEXT}</div><div>${OTHERS}</div></div></body>`],
    [
      'the structured data has all of them',
      `${head(structured({ '@type': 'Article', articleBody: SENTENCE.repeat(20) + OTHER.repeat(30) }))}<body><div><div>${TEXT}</div><div>${OTHERS}</div></div></body>`,
    ],
    [
      'the heading has only an introduction below it',
      `${head('<meta property="og:type" content="article">')}<body><article><header><h1>Gauges of the river</h1><p>${SENTENCE.repeat(2)}</p></header>${OTHERS}</article></body>`,
    ],
  ])('all are taken: %s', (_, html) => {
    const text = read(`<html>${html}</html>`);
    expect(text).toContain('The gauge at the weir');
    expect(text).toContain('in a box of tin');
  });
});

describe('the author and the date of a page', () => {
  const page = (inHead: string, inBody: string, url = 'https://site.example/a') =>
    readHtmlPage(
      Buffer.from(
        `<html lang="en"><head><title>Gauges</title>${inHead}</head><body><article><h1>Gauges</h1>${inBody}${TEXT}</article></body></html>`,
      ),
      url,
    );

  it.each([
    ['<span class="post-date">14. März 2026</span>', '2026-03-14'],
    ['<span class="date">March 14th, 2026</span>', '2026-03-14'],
    ['<p class="meta">le 2 août 2026</p>', '2026-08-02'],
    ['<p class="meta">3 de maio de 2026</p>', '2026-05-03'],
    ['<span class="date">14.03.2026</span>', '2026-03-14'],
    ['<span class="date">3/14/2026</span>', '2026-03-14'],
    ['<time datetime="2026-03-14T08:00:00Z">today</time>', '2026-03-14T08:00:00Z'],
    ['<p>2026年3月14日</p>', '2026-03-14'],
  ])('is an ISO date: %s', (shown, wanted) => {
    expect(page('', shown).published).toBe(wanted);
  });

  it('is the day in the address, or none', () => {
    expect(page('', '', 'https://site.example/2026/3/14/gauges').published).toBe('2026-03-14');
    expect(page('<meta name="date" content="soon">', '').published).toBeUndefined();
    expect(page('<meta name="date" content="0001-01-01T00:00:00Z">', '').published).toBeUndefined();
    expect(page('', '<p>Version 3.11.12</p><p>Tel. 06.12.34.56.78</p>').published).toBeUndefined();
  });

  it('ignores metadata named like inherited object members', () => {
    expect(JSON.stringify(page('<meta name="constructor" content="wrong">', ''))).not.toContain('wrong');
    expect(Object.values(readHtmlMetadata(load('<meta name="constructor" content="wrong">')))).not.toContain('wrong');
  });

  it.each([
    ['', '<p class="author">Von Anna Berg | 14.03.2026</p>', 'Anna Berg'],
    ['', '<a rel="author" href="/u/1">View all posts by Anna Berg</a>', 'Anna Berg'],
    ['<meta name="author" content="admin">', '<a href="/author/berg">Anna Berg</a>', 'Anna Berg'],
    [
      structured({
        '@graph': [
          { '@type': 'Person', '@id': '#1', name: 'Anna Berg' },
          { '@type': 'Article', author: { '@id': '#1' } },
        ],
      }),
      '',
      'Anna Berg',
    ],
    ['<meta name="author" content="https://site.example/berg">', '', undefined],
  ])('is a name: %s%s', (inHead, inBody, wanted) => {
    expect(page(inHead, inBody).author).toBe(wanted);
  });

  it('omits the site name from the title', () => {
    const html = `<html><head><title>Gauges of the river - The Weir</title></head><body><article>${TEXT}</article></body></html>`;
    expect(readHtmlPage(Buffer.from(html), 'https://site.example/').title).toBe('Gauges of the river');
  });
});
