import { describe, expect, it } from 'vitest';
import { insertMarkers } from '../../src/page/app/views/ask/insert-markers.ts';
import { markdownTree, type Node } from '../../src/page/app/views/ask/markdown-tree.ts';

/** The tree as a line of text: `<strong>…</strong>`, `{0}` for a mark, `~0 …~` for an unsupported sentence. */
function draw(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node;
      if (node.kind === 'mark') return `{${node.index}}`;
      if (node.kind === 'note') return `!${node.index}`;
      if (node.kind === 'formula') return `<formula>${node.source}</formula>`;
      if (node.kind === 'together') return draw(node.children);
      if (node.kind === 'unsupported') return `~${draw(node.children)}~`;
      const href = node.href === undefined ? '' : ` ${node.href}`;
      const align = node.align === undefined ? '' : ` ${node.align}`;
      return `<${node.tag}${href}${align}>${draw(node.children)}</${node.tag}>`;
    })
    .join('');
}

/** By default every `[n]` of the text is a marker. */
function render(text: string, { unsupported = [] as string[], marks = spansOf(text, /\[\d+\]/g) } = {}): string {
  const sentences = unsupported.map((sentence) => {
    const start = text.indexOf(sentence);
    return { start, end: start + sentence.length };
  });
  return draw(markdownTree(insertMarkers(text, marks, sentences)));
}

const spansOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(({ index, 0: found }) => ({ start: index, end: index + found.length }));

describe('citation chips in Markdown', () => {
  it.each([
    ['in a paragraph', 'It is so [1]. And so [2].', '<p>It is so {0}. And so {1}.</p>'],
    ['side by side, which would be a link', 'It is so [1][2].', '<p>It is so {0}{1}.</p>'],
    ['before a bracket, which would be a link', 'It is [1](sic).', '<p>It is {0}(sic).</p>'],
    ['at the end of emphasis', '**It is so.[1]** Yes', '<p><strong>It is so.{0}</strong> Yes</p>'],
    ['behind emphasis that ends in a full stop', '**It is so.**[1]', '<p><strong>It is so.</strong>{0}</p>'],
    ['at the start of a line', '[1] says so', '<p>{0} says so</p>'],
    ['in a list', '- one [1]\n- two [2]', '<ul>\n<li>one {0}</li><li>two {1}</li></ul>'.replace('\n', '')],
    ['in a heading', '## Who [1]', '<h2>Who {0}</h2>'],
    ['behind letters of two code units', '😀 it is so [1].', '<p>😀 it is so {0}.</p>'],
    [
      'in a table',
      '| a |\n| --- |\n| b [1] |',
      '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b {0}</td></tr></tbody></table>',
    ],
  ])('are placed %s', (_, text, drawn) => {
    expect(render(text)).toBe(drawn);
  });

  it('leaves brackets that are no markers as they are, also in code and addresses', () => {
    expect(render('See `a[1]` and [2].', { marks: [{ start: 15, end: 18 }] })).toBe(
      '<p>See <code>a[1]</code> and {0}.</p>',
    );
    expect(render('See `a[1]`.')).toBe('<p>See <code>a[1]</code>.</p>');
    expect(render('[so](https://example.org/?a[1]=2)')).toBe('<p><a https://example.org/?a[1]=2>so</a></p>');
  });

  it('places the marker at its span, whatever text is there', () => {
    expect(render('It is so 【1†x】.', { marks: [{ start: 9, end: 14 }] })).toBe('<p>It is so {0}.</p>');
  });

  it('leaves out spans that lie outside the text or within another', () => {
    const marks = [
      { start: 3, end: 6 },
      { start: 4, end: 5 },
      { start: 90, end: 93 },
    ];
    expect(render('so [1]', { marks })).toBe('<p>so {0}</p>');
  });

  it('replaces reserved characters of the text, so that none can imitate a chip', () => {
    expect(render('a ⟦\uE000m0\uE001⟧ b [1]')).toBe('<p>a ⟦\uFFFDm0\uFFFD⟧ b {0}</p>');
  });
});

it('a citation between two sums of money stays', () => {
  expect(render('It costs $5 [1], or 6$ there.')).toBe('<p>It costs $5 {0}, or 6$ there.</p>');
});

it('a citation is not separated from the full stop behind it', () => {
  const together = (text: string) => {
    const [paragraph] = markdownTree(insertMarkers(text, spansOf(text, /\[\d+\]/g)));
    const nodes = typeof paragraph === 'object' && 'children' in paragraph ? paragraph.children : [];
    return nodes.filter((node) => typeof node === 'object' && node.kind === 'together').map((node) => draw([node]));
  };
  expect(together('It is so [1]. And so [2][3], but [4] is not.')).toEqual(['{0}.', '{2},']);
});

describe('an unsupported sentence', () => {
  it('is marked from its first to its last character, followed by a note', () => {
    expect(render('Yes [1]. The cat is blue.', { unsupported: ['The cat is blue.'] })).toBe(
      '<p>Yes {0}. ~The cat is blue.~!0</p>',
    );
  });

  it('keeps the structure of lists, headings and quotations', () => {
    expect(render('- The cat is **blue**.', { unsupported: ['- The cat is **blue**.'] })).toBe(
      '<ul><li>~The cat is ~<strong>~blue~</strong>~.~!0</li></ul>',
    );
    expect(render('## The cat', { unsupported: ['## The cat'] })).toBe('<h2>~The cat~!0</h2>');
    expect(render('1. The cat', { unsupported: ['1. The cat'] })).toBe('<ol><li>~The cat~!0</li></ol>');
  });

  it('ends at the end of its paragraph at the latest', () => {
    const text = 'The cat\n\nis blue. So.';
    expect(render(text, { unsupported: ['The cat\n\nis blue.'] })).toBe('<p>~The cat~</p><p>is blue. So.</p>');
  });

  it('keeps the columns of a table, and is marked to the end of its row', () => {
    const table = '| Boat | Fare |\n| --- | --- |\n| Old | 12 |';
    expect(render(table, { unsupported: ['Boat | Fare |', '| Old | 12 |'] })).toBe(
      '<table><thead><tr><th>~Boat~</th><th>~Fare~!0</th></tr></thead>' +
        '<tbody><tr><td>~Old~</td><td>~12~!1</td></tr></tbody></table>',
    );
    expect(render(table, { unsupported: ['| Boat | Fare |\n| --- | --- |\n| Old | 12 |'] })).toBe(
      '<table><thead><tr><th>~Boat~</th><th>~Fare~!0</th></tr></thead>' +
        '<tbody><tr><td>Old</td><td>12</td></tr></tbody></table>',
    );
  });

  it('does not begin with the full stop of the sentence before', () => {
    expect(render('Yes [1]. The cat is blue.', { unsupported: ['. The cat is blue.'] })).toBe(
      '<p>Yes {0}. ~The cat is blue.~!0</p>',
    );
  });

  it('includes the markers within it', () => {
    expect(render('The cat [1] is.', { unsupported: ['The cat [1] is.'] })).toBe('<p>~The cat ~{0}~ is.~!0</p>');
  });
});

describe('Markdown from a model', () => {
  it.each([
    ['HTML is text', '<img src=x onerror=alert(1)>', '<p><img src=x onerror=alert(1)></p>'],
    ['a script address is no link', '[so](javascript:alert(1))', '<p>[so](javascript:alert(1))</p>'],
    ['a data address is no link', '[so](data:text/html,x)', '<p>[so](data:text/html,x)</p>'],
    ['an address within this server is no link', '[so](/v3/users/logout)', '<p>so</p>'],
    ['a picture is not fetched', '![so](https://example.org/a.png)', '<p>!<a https://example.org/a.png>so</a></p>'],
    [
      'columns keep their alignment',
      '| a | b | c |\n|:--|--:|:-:|\n| 1 | 2 | 3 |',
      '<table><thead><tr><th>a</th><th right>b</th><th center>c</th></tr></thead>' +
        '<tbody><tr><td>1</td><td right>2</td><td center>3</td></tr></tbody></table>',
    ],
    [
      'a formula keeps its signs',
      'So $a_1 \\, b_1 = c^*$ *is*.',
      '<p>So <formula>a_1 \\, b_1 = c^*</formula> <em>is</em>.</p>',
    ],
    ['a formula of its own', '$$\n\\frac{a}{b}\n$$', '<p><formula>\\frac{a}{b}</formula></p>'],
    ['a formula in brackets', '\\(x\\) and \\[y\\]', '<p><formula>x</formula> and <formula>y</formula></p>'],
    ['sums of money are no formula', 'from $5 to $10, or US$5/US$6', '<p>from $5 to $10, or US$5/US$6</p>'],
    ['a single dollar is none', 'a $ b', '<p>a $ b</p>'],
    ['brackets that are escaped stay', '\\[sic', '<p>[sic</p>'],
    ['a link keeps its address', '[so](https://example.org/)', '<p><a https://example.org/>so</a></p>'],
  ])('%s', (_, text, drawn) => {
    expect(render(text, { marks: [] })).toBe(drawn);
  });
});
