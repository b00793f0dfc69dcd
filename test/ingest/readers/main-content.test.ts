import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHtmlPage } from '../../../src/ingest/readers/html/html-page.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/pages');
const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.html'))
  .map((name) => name.replace(/\.html$/, ''));

const page = (html: string, url = 'https://site.example/a/page') => readHtmlPage(Buffer.from(html), url);

const words = (text: string): string[] =>
  text.toLowerCase().match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+/gu) ?? [];

function f1(found: readonly string[], wanted: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  const shared = found.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  }).length;
  return (2 * shared) / (found.length + wanted.length);
}

describe('the main content of a page', () => {
  it('is measured on at least sixty pages of many layouts and languages', () => {
    expect(names.length).toBeGreaterThanOrEqual(60);
    expect(new Set(names.map((name) => name.split('.')[0])).size).toBeGreaterThanOrEqual(10);
    expect(new Set(names.map((name) => name.split('.')[1])).size).toBeGreaterThanOrEqual(8);
  });

  it.each(names)('is extracted without navigation and advertising: %s', (name) => {
    const { text } = readHtmlPage(readFileSync(join(FOLDER, `${name}.html`)), 'https://site.example/');
    const gold = readFileSync(join(FOLDER, `${name}.txt`), 'utf8');
    expect(f1(words(text), words(gold))).toBeGreaterThan(0.95);
  });
});

describe('the metadata of a page', () => {
  it('are title, author, date, language, site and address', () => {
    const read = page(`<html lang="de"><head><title>Ein Titel | Zeitung</title>
      <link rel="canonical" href="/artikel/1"><meta property="og:site_name" content="Zeitung">
      <script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","author":[{"name":"A. B."},{"name":"C. D."}],"datePublished":"2026-03-14"}]}</script>
      </head><body><article><p>${'Ein Satz, der etwas sagt. '.repeat(20)}</p></article></body></html>`);
    expect(read).toMatchObject({
      title: 'Ein Titel | Zeitung',
      author: 'A. B., C. D.',
      published: '2026-03-14',
      language: 'de',
      site: 'Zeitung',
      canonicalUrl: 'https://site.example/artikel/1',
    });
  });

  it('are taken from structured data when scripts generate the text', () => {
    const body = 'The whole article stands here. '.repeat(30).trim();
    const read =
      page(`<html><head><script type="application/ld+json">${JSON.stringify({ '@type': 'Article', articleBody: body })}</script></head>
      <body><div id="root"></div></body></html>`);
    expect(read).toMatchObject({ text: body, needsScripts: false });
  });

  it('are empty when only a browser can render the page', () => {
    expect(page('<html><body><div id="root"></div><script src="/app.js"></script></body></html>')).toMatchObject({
      text: '',
      needsScripts: true,
    });
  });
});

describe('a page as Markdown', () => {
  it.each([
    ['without a header', '<tr><td>Product</td><td>Price</td></tr>', (table: string) => table],
    ['with a header', '<tr><th>Product</th><th>Price</th></tr>', (table: string) => table],
    [
      'in a box to scroll',
      '<tr><td>Product</td><td>Price</td></tr>',
      (table: string) => `<div><div>${table}</div></div>`,
    ],
    ['in a box, with a header', '<tr><th>Product</th><th>Price</th></tr>', (table: string) => `<div>${table}</div>`],
  ])('keeps a long table of two columns as a table, under its heading: %s', (_, header, box) => {
    const rows = Array.from(
      { length: 60 },
      (_, at) => `<tr><td>Item number ${at} of the list</td><td>${at}.50</td></tr>`,
    );
    const table = `<table>${header}${rows.join('')}</table>`;
    const { text } = page(`<main><h2>Prices</h2><p>All prices are in kroner, as ever.</p>${box(table)}</main>`);
    expect(text).toMatch(/^#? ?Prices\n\nAll prices[^|]*\| Product \| Price \|\n\| --- \| --- \|\n\| Item number 0 of/);
    expect(text).toContain('| Item number 59 of the list | 59.50 |');
  });

  it('is found in the cell of a table that lays out the page', () => {
    const links = ['Home', 'News', 'Contact'].map((name) => `<a href="/${name}">${name}</a><br>`).join('');
    const prose = 'The ferry leaves at dawn, and it returns with the evening tide. '.repeat(12);
    const row = (left: string, right: string) => `<tr><td>${left}</td><td>${right}</td></tr>`;
    const { text } = page(`<table>${row(links, `<p>${prose}</p>`)}${row('', 'Imprint')}${row('', '')}</table>`);
    expect(text).toContain('The ferry leaves at dawn');
    expect(text).not.toMatch(/\||Contact/);
  });

  it('keeps headings, links, lists, tables and code', () => {
    const { title, markdown, text } =
      page(`<main><h1>Gauges</h1><p>Read the <a href="../manual(1).html">manual</a> of <code>gauge</code>. It says how to measure a river, and why.</p>
      <h2>Units</h2><ul><li>one <a href="https://other.example/">other</a> thing</li><li>two</li></ul>
      <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><pre><code>let level = 1;\n  // two</code></pre>
      <blockquote><p>Said by somebody.</p></blockquote><p>And this is the end of it, in a whole sentence.</p></main>`);
    expect(
      markdown,
    ).toBe(`Read the [manual](https://site.example/manual%281%29.html) of \`gauge\`. It says how to measure a river, and why.

## Units

- one [other](https://other.example/) thing
- two

| a | b |
| --- | --- |
| 1 | 2 |

\`\`\`
let level = 1;
  // two
\`\`\`

> Said by somebody.

And this is the end of it, in a whole sentence.`);
    expect(text).toContain('Read the manual of gauge.');
    expect(title).toBe('Gauges');
  });
});

describe('invisible content of a page', () => {
  const visible = '<p>This is what a reader sees, in a sentence of some length, and then once more.</p>';
  it.each([
    ['display:none', '<p style="display:none">SECRET</p>'],
    ['display: none with other styles', '<div style="color: red; display : none !important"><p>SECRET</p></div>'],
    ['visibility:hidden', '<span style="visibility:hidden">SECRET</span>'],
    ['zero opacity', '<p style="opacity:0">SECRET</p>'],
    ['a font of no size', '<p style="font-size:0px">SECRET</p>'],
    ['text beside the screen', '<p style="position:absolute;left:-9999px">SECRET</p>'],
    ['indented out of sight', '<p style="text-indent:-9999px">SECRET</p>'],
    ['clipped', '<p style="clip:rect(0 0 0 0)">SECRET</p>'],
    ['a box of one pixel', '<div style="width:1px;height:1px;overflow:hidden">SECRET</div>'],
    ['the hidden attribute', '<p hidden>SECRET</p>'],
    ['aria-hidden', '<p aria-hidden="true">SECRET</p>'],
    ['a class for screen readers', '<p class="x sr-only">SECRET</p>'],
    ['a class that the page hides', '<style>.q9{display:none}</style><p class="q9">SECRET</p>'],
    ['an id that the page hides', '<style>p{margin:0} #q9 , .b{visibility:hidden}</style><p id="q9">SECRET</p>'],
    ['a template', '<template><p>SECRET</p></template>'],
    ['a comment', '<!-- SECRET -->'],
    ['a script', '<script>SECRET</script>'],
  ])('is removed: %s', (_, html) => {
    const { markdown, hiddenCharacters } = page(`<main>${visible}${html}${visible}</main>`);
    expect(markdown).not.toContain('SECRET');
    if (!/template|<!--|<script/.test(html)) expect(hiddenCharacters).toBeGreaterThanOrEqual(6);
  });

  it('is counted, including invisible characters', () => {
    const { text, hiddenCharacters } = page(
      `<main><p>vi\u200bsi\u202eble\u{e0041}, and this goes on as a sentence does.</p></main>`,
    );
    expect(text).toBe('visible, and this goes on as a sentence does.');
    expect(hiddenCharacters).toBe(4);
  });

  it('does not include content hidden only in print', () => {
    const { text } = page(
      `<style>@media print{.p{display:none}}</style><main><p class="p">Shown to all who look, and they do look at it.</p></main>`,
    );
    expect(text).toContain('Shown to all');
  });
});
