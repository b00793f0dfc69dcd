import { describe, expect, it } from 'vitest';
import { htmlReader } from '../../../src/ingest/readers/html/html.ts';
import { readHtmlPage } from '../../../src/ingest/readers/html/html-page.ts';
import { readWholeHtml } from '../../../src/ingest/readers/html/whole-html.ts';
import { processorTime } from '../../support/processor-time.ts';

const SENTENCE = 'The gauge at the weir is read each morning, and what it shows is written down. ';
const around = (html: string) =>
  `<main><h1>Gauges</h1><p>${SENTENCE.repeat(4)}</p>${html}<p>${SENTENCE.repeat(4)}</p></main>`;
const read = (html: string) => readHtmlPage(Buffer.from(around(html)), 'https://site.example/a/page');
const TEX = '<annotation encoding="application/x-tex">E=mc^2</annotation>';

describe('numbers and formulas of a page', () => {
  it.each([
    ['a power', '<p>About 10<sup>6</sup> people.</p>', 'About 10^6 people.'],
    ['a negative power', '<p>It is 3 · 10<sup>−4</sup> m<sup>2</sup>.</p>', '10^−4 m^2.'],
    ['an exponent of several parts', '<p>It is 2<sup>n + 1</sup> here.</p>', '2^(n + 1) here.'],
    ['an index', '<p>The level x<sub>i</sub> rises; log<sub>2</sub>8 is three.</p>', 'x_i rises; log_(2)8'],
    ['chemistry and ordinals', '<p>H<sub>2</sub>O on the 1<sup>st</sup> day.</p>', 'H2O on the 1st day.'],
    [
      'MathML with its source',
      `<p>So <math><semantics><mi>E</mi>${TEX}</semantics></math> holds.</p>`,
      'So $E=mc^2$ holds.',
    ],
    [
      'KaTeX',
      `<p>So <span class="katex"><span class="katex-mathml"><math><semantics><mi>E</mi>${TEX}</semantics></math></span><span class="katex-html" aria-hidden="true">E=mc2</span></span> holds.</p>`,
      'So $E=mc^2$ holds.',
    ],
    [
      'a formula of Wikipedia, whose source is hidden',
      '<p>So <span class="mwe-math-element"><span style="display: none;"><math alttext="{\\displaystyle a_{1}}"><mi>a</mi></math></span><img alt="a_1"></span> holds.</p>',
      'So $a_{1}$ holds.',
    ],
    [
      'a script of MathJax',
      '<p>So <span class="MathJax">E=mc2</span><script type="math/tex">E=mc^2</script> holds.</p>',
      'So $E=mc^2$ holds.',
    ],
    [
      'MathML without a source',
      '<p>So <math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac><mo>=</mo><msup><mi>x</mi><mn>2</mn></msup></math> holds.</p>',
      'So a/(b+1)=x^2 holds.',
    ],
  ])('are kept: %s', (_, html, wanted) => {
    const { text, markdown } = read(html);
    expect(text).toContain(wanted);
    expect(markdown).toContain(wanted);
  });
});

describe('code of a page', () => {
  it.each([
    ['line breaks', '<pre>let a = 1;<br>let b = 2;<br><br>a + b;</pre>'],
    [
      'line elements',
      '<pre><code><span class="line">let a = 1;</span><span class="line">let b = 2;</span><span class="line"></span><span class="line">a + b;</span></code></pre>',
    ],
    [
      'line elements that end with line breaks',
      '<pre><code><span class="line">let a = 1;</span>\n<span class="line">let b = 2;</span>\n<span class="line"></span>\n<span class="line">a + b;</span></code></pre>',
    ],
    ['blocks', '<pre><div>let a = 1;</div><div>let b = 2;</div><div></div><div>a + b;</div></pre>'],
    [
      'a column of line numbers',
      '<table><tr><td class="linenos"><pre>1\n2\n3\n4</pre></td><td class="code"><pre>let a = 1;\nlet b = 2;\n\na + b;</pre></td></tr></table>',
    ],
    [
      'a number before each line',
      '<pre><span class="lineno">1</span>let a = 1;\n<span class="lineno">2</span>let b = 2;\n<span class="lineno">3</span>\n<span class="lineno">4</span>a + b;</pre>',
    ],
  ])('keeps its lines: %s', (_, html) => {
    expect(read(html).text).toContain('\n\nlet a = 1;\nlet b = 2;\n\na + b;\n\n');
  });

  it.each([
    ['<pre><code class="language-js">a()</code></pre>'],
    ['<div class="highlight-source-js"><pre>a()</pre></div>'],
    ['<pre data-lang="js"><code>a()</code></pre>'],
  ])('keeps its language: %s', (html) => {
    expect(read(html).markdown).toContain('```js\na()\n```');
  });
});

it('reads XHTML with an empty script in its head', () => {
  const xhtml = `<?xml version="1.0"?><html><head><title>Weir</title><script src="a.js"/></head><body>${around('')}</body></html>`;
  const { text, title } = readHtmlPage(Buffer.from(xhtml), 'https://site.example/');
  expect(text).toContain('The gauge at the weir');
  expect(title).toBe('Weir');
});

it('fences code that begins with a fence', () => {
  expect(read('<pre>```\nlet a = 1;</pre>').markdown).toContain('````\n```\nlet a = 1;\n````');
});

it.each([
  ['a colour', (n: number) => `<p style="color:x${' '.repeat(n)}y)">a</p>`],
  ['the mark of a note', (n: number) => `<sup>1${' '.repeat(n)}x</sup>`],
  ['an author', (n: number) => `<meta name="author" content="${'<'.repeat(n)}">`],
  ['emphasis', (n: number) => `<p>a <em>b${'&nbsp;'.repeat(n)}c</em></p>`],
  ['a tag', (n: number) => `<${'a-'.repeat(n)}`],
  [
    'an author in lists',
    (n: number) =>
      `<script type="application/ld+json">{"@type":"Article","author":${'['.repeat(n)}${']'.repeat(n)}}</script>`,
  ],
])('reads %s of any length at once', (_, html) => {
  const took = processorTime(() => expect(read(html(150_000)).text).toContain('The gauge at the weir'));
  expect(took).toBeLessThan(3_000);
});

describe('lists, tables and pictures of a page', () => {
  const link = (name: string) => `<a href="/${name}">${name}</a>`;
  it.each([
    [
      'a list of links',
      `<p>The stations are:</p><ul><li>${link('Ash')}</li><li>${link('Birk')}</li><li>${link('Cam')}</li><li>${link('Dee')}</li></ul>`,
      '- Ash\n- Birk\n- Cam\n- Dee',
    ],
    [
      'linked cells',
      `<table><tr><th>River</th><th>Gauge</th></tr><tr><td>${link('Ash')}</td><td>${link('Weir')}</td></tr><tr><td>${link('Birk')}</td><td>${link('Mill')}</td></tr></table>`,
      '| Ash | Weir |\n| Birk | Mill |',
    ],
    [
      'tasks',
      '<ul><li><input type="checkbox" disabled checked> Read it</li><li><input type="checkbox" disabled> Write it down</li></ul>',
      '- [x] Read it\n- [ ] Write it down',
    ],
    [
      'a table in a table',
      '<table><tr><th>Day</th><th>Levels</th></tr><tr><td>Monday</td><td><table><tr><td>noon</td><td>3 m</td></tr><tr><td>night</td><td>4 m</td></tr></table></td></tr></table>',
      '| Monday | noon, 3 m; night, 4 m |',
    ],
  ])('are kept: %s', (_, html, wanted) => {
    expect(read(html).text).toContain(wanted);
  });

  it('has pictures and emphasis in its Markdown, and the words of a picture in a stored document', async () => {
    const html =
      '<p>It is <em>never</em> <strong>below two</strong> metres. <img src="/level.png" alt="Levels from May to July"></p>';
    expect(read(html).markdown).toContain(
      'It is *never* **below two** metres. ![Levels from May to July](https://site.example/level.png)',
    );
    const { text } = await htmlReader.read({
      bytes: Buffer.from(around(html)),
      fileName: 'a.html',
      signal: AbortSignal.any([]),
    } as never);
    expect(text).toContain('It is never below two metres. Levels from May to July');
  });
});

describe('invisible and decorative parts of a page', () => {
  it.each([
    ['the anchor of a heading', '<h2>Units<a class="headerlink" href="#units">¶</a></h2>', 'Units¶'],
    ['a hash before a heading', '<h2><a href="#units">#</a> Units</h2>', '# Units'],
    ['white on white', '<p style="color:#fff;background:white">SECRET words</p>', 'SECRET'],
    ['white where nothing gives a background', '<p style="color: white">SECRET words</p>', 'SECRET'],
    [
      'the colour of the row around it',
      '<div style="background-color:#101010"><span style="color:rgb(16, 16, 18)">SECRET</span> shown</div>',
      'SECRET',
    ],
    ['transparent', '<p style="color:transparent">SECRET words</p>', 'SECRET'],
  ])('are removed: %s', (_, html, unwanted) => {
    expect(read(html).text).not.toContain(unwanted);
  });

  it.each([
    ['on a dark ground', '<div style="background:#222"><p style="color:#fff">It was a dark night.</p></div>'],
    ['on a picture', '<p style="background:#fff url(night.png);color:#fff">It was a dark night.</p>'],
    ['on the ground that counts', '<p style="background:#fff;background:#222;color:#fff">It was a dark night.</p>'],
    ['on a style sheet', '<style>body { background: #222 }</style><p style="color:#fff">It was a dark night.</p>'],
    ['on a button', '<div style="color:#fff"><b style="background:#c00">It was a dark night.</b></div>'],
    ['in no colour', '<p style="color:constructor">It was a dark night.</p>'],
  ])('are not white words %s', (_, html) => {
    const style = /<style>.*<\/style>/.exec(html)?.[0] ?? '';
    const page = `<html><head>${style}</head><body>${around(html.replace(style, ''))}</body></html>`;
    expect(readHtmlPage(Buffer.from(page), 'https://site.example/').text).toContain('It was a dark night');
  });

  it.each([
    ['figures in a column', '<div class="gutter"><p>1844</p></div>', '1844'],
    ['a heading that links to itself', '<h2><a class="anchor" href="#l">Link types</a></h2>', 'Link types'],
    [
      'a formula drawn without its source',
      '<p>So <span class="katex"><span class="katex-html">E=m</span></span>.</p>',
      'E=m',
    ],
    [
      'a drawn formula with MathML',
      '<p>So <span class="MathJax"><i>..</i><math><mi>E</mi></math></span>.</p>',
      'So E.',
    ],
    ['a word before a note', '<p>The weir of 1844<a href="#n3"><sup>3</sup></a> held.</p>', 'of 1844 held'],
  ])('are not %s', (_, html, wanted) => {
    expect(read(html).text).toContain(wanted);
  });

  it('are marks of notes in mails and books', () => {
    expect(readWholeHtml('<p>The weir of 1844<sup><a href="n.xhtml#n3">3</a></sup> held.</p>').text).toBe(
      'The weir of 1844 held.',
    );
  });
});
