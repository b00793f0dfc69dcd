import { describe, expect, it } from 'vitest';
import { readHtmlPage } from '../../../src/ingest/readers/html/html-page.ts';

const read = (html: string) => readHtmlPage(Buffer.from(html), 'https://site.example/a/page').text;
const SENTENCE = 'The gauge at the weir is read each morning, and what it shows is written down. ';
const OTHER = 'Levels of the last century were found in the cellar of the mill, in a box of tin. ';
const body = (name: string) => `<h1>Gauges</h1><article><p>${SENTENCE.repeat(8)}</p>${name}</article>`;
const MENU = `<div class="menu">${['News', 'Sport', 'Weather', 'Travel'].map((word) => `<a href="/${word}">${word}</a> `).join('')}</div>`;

describe('an element with prose', () => {
  it.each([
    [
      'a part of a page builder',
      `<div class="elementor-element elementor-widget elementor-widget-text-editor"><div class="elementor-widget-container"><p>${OTHER.repeat(3)}</p></div></div>`,
    ],
    ['the widget of a blog', `<div class="widget Blog" id="Blog1"><p>${OTHER.repeat(3)}</p></div>`],
    [
      'a section on related work',
      `<section id="related-work"><h2>Related work</h2><p>${OTHER.repeat(3)}</p></section>`,
    ],
    ['a section on feedback', `<section id="feedback"><h2>Feedback</h2><p>${OTHER.repeat(3)}</p></section>`],
    ['the signature of a function', `<div class="signature"><p>${OTHER.repeat(3)}</p></div>`],
    ['a layout with a sidebar', `<div class="layout-sidebar-right"><p>${OTHER.repeat(3)}</p></div>`],
    ['what a paywall would cover', `<div class="content paywall"><p>${OTHER.repeat(3)}</p></div>`],
    [
      'a post quoted from a network',
      `<div class="social-media-embed"><blockquote><p>${OTHER.repeat(3)}</p></blockquote></div>`,
    ],
  ])('is kept whatever its name: %s', (_, html) => {
    const text = read(`<body>${MENU}${body(html)}</body>`);
    expect(text).toContain('in a box of tin');
    expect(text).not.toContain('Weather');
  });

  it('is kept in a main element that a link skips to', () => {
    expect(
      read(
        `<body>${MENU}<main id="skip-content" class="skip-target"><h1>Gauges</h1><p>${SENTENCE.repeat(5)}</p></main></body>`,
      ),
    ).toContain('The gauge at the weir');
  });
});

describe('an element without prose', () => {
  it.each([
    [
      'a widget of links',
      '<div class="sidebar-widget"><ul><li><a href="/1">The first of some pages</a></li><li><a href="/2">The second of some pages</a></li></ul></div>',
    ],
    [
      'a form for letters',
      '<div class="site-newsletter-box"><p>Some pages of ours, each week in your box. Join us.</p><form><input name="a"><button>Join</button></form></div>',
    ],
    [
      'a short text about the writer',
      '<div class="author-bio"><p>She writes some pages for us. She lives by the river.</p></div>',
    ],
    [
      'the foot of a page',
      '<div class="page-footer-wrap"><p>Write to some pages by mail. We answer all that we get.</p></div>',
    ],
    [
      'a row of cards',
      `<div class="grid">${[1, 2, 3, 4].map((n) => `<div class="card"><a href="/${n}"><h3>Number ${n} of some pages to read</h3></a><p>What happened at the harbour. A short account.</p></div>`).join('')}</div>`,
    ],
  ])('is removed: %s', (_, html) => {
    const text = read(`<body>${MENU}<div class="page">${body('')}${html}</div></body>`);
    expect(text).toContain('The gauge at the weir');
    expect(text).not.toContain('some pages');
  });
});
