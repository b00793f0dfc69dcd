import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { cpuSeconds } from '../../cpu-seconds.ts';
import { blocksOf, readFile } from '../support.ts';

const page = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><title>A page</title>${head}</head><body>${body}</body></html>`;

describe('a web page', () => {
  it('is read block by block', async () => {
    const read = await readFile(
      'a.html',
      page(
        '<h1>Head</h1><p>One <b>two</b>\n three.<br>Four</p><ul><li>a<ul><li>b</li></ul></li><li>c</li></ul><ol start=3><li>d</li></ol><pre>x\n  y</pre><blockquote>said</blockquote><dl><dt>T</dt><dd>def</dd><dt>U:</dt><dd>none</dd><dt>Why?</dt><dd>Fog.</dd></dl>loose text',
      ),
    );
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'Head'],
      ['paragraph', 'One two three.\nFour'],
      ['list', '- a\n  - b\n- c'],
      ['list', '3. d'],
      ['code', 'x\n  y'],
      ['quote', 'said'],
      ['list', 'T: def\nU: none\nWhy? Fog.'],
      ['paragraph', 'loose text'],
    ]);
    expect(read.title).toBe('A page');
    expect(read.metadata).toEqual({ language: 'en' });
  });

  it('converts tables to Markdown, repeating spanning cells', async () => {
    const read = await readFile(
      'a.html',
      page(
        '<table><caption>Fares</caption><tr><th>To</th><th>Price</th></tr><tr><td rowspan=2>Holm</td><td>4 | 5</td></tr><tr><td>6</td></tr></table>',
      ),
    );
    expect(read.text).toBe('Fares\n\n| To | Price |\n| --- | --- |\n| Holm | 4 \\| 5 |\n| Holm | 6 |');
  });

  it('reads the text of layout tables', async () => {
    const read = await readFile(
      'a.html',
      page('<table><tr><td><h2>Left</h2><p>text</p></td><td>right</td></tr></table>'),
    );
    expect(blocksOf(read)).toEqual([
      ['heading 2', 'Left'],
      ['paragraph', 'text'],
      ['paragraph', 'right'],
    ]);
  });

  it('leaves out navigation, scripts, hidden parts and note marks', async () => {
    const body =
      '<nav>Menu</nav><div class="cookie-banner">Cookies!</div><main><p>The text of the page, long enough to matter.<sup><a href="#n1">[1]</a></sup></p><p hidden>secret</p><script>x()</script><aside>ads</aside></main><footer>(c)</footer>';
    expect((await readFile('a.html', page(body))).text).toBe('The text of the page, long enough to matter.');
  });

  it('has the words below ruby without their readings', async () => {
    const { text } = await readFile(
      'a.html',
      '<html><body><p><ruby>灯<rt>とう</rt>台<rt>だい</rt></ruby>の高さは<ruby>三十二<rp>(</rp><rt>さんじゅうに</rt><rp>)</rp></ruby>メートルである。</p></body></html>',
    );
    expect(text).toBe('灯台の高さは三十二メートルである。');
  });

  it('is decoded with the declared or detected encoding', async () => {
    const german = page('<p>Fähre für Fußgänger</p>', '<meta charset="windows-1252">');
    expect((await readFile('a.html', iconv.encode(german, 'windows-1252'))).text).toBe('Fähre für Fußgänger');
    expect((await readFile('a.html', iconv.encode(page('<p>Fähre</p>'), 'utf-16le', { addBOM: true }))).text).toBe(
      'Fähre',
    );
    expect((await readFile('a.html', iconv.encode(page('<p>Fähre</p>'), 'utf-16le'))).text).toBe('Fähre');
  });

  it.each([
    ['div', '<div>', '</div>'],
    ['formatting', '<b>', ''],
    ['list', '<ul><li>', ''],
    ['table', '<table><tr><td>', ''],
  ])('nested 100,000 times (%s) is read in seconds', { timeout: 60_000 }, async (_, opening, closing) => {
    const nested = page(`<p>before</p>${opening.repeat(100_000)}deep${closing.repeat(100_000)}<p>after</p>`);
    let text = '';
    const seconds = await cpuSeconds(async () => {
      ({ text } = await readFile('a.html', nested));
    });
    expect(text).toContain('before');
    expect(text).toContain('deep');
    expect(seconds).toBeLessThan(5);
  });
});
