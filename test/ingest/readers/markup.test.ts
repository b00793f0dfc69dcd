import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownBlocks } from '../../../src/ingest/readers/markdown/markdown.ts';
import { markdownPieces } from '../../../src/ingest/readers/markdown/markdown-pieces.ts';
import { cpuSeconds } from '../cpu-seconds.ts';
import { blocksOf, readFile } from './support.ts';

describe('reStructuredText', () => {
  it('has section levels by order of first use, and all block types', async () => {
    const read = await readFile(
      'a.rst',
      `======
Ferry
======
:Author: Ann
:Date: 2024-01-31

See \`the plan <http://example.org/plan>\`_ and :ref:\`fares\`, or \`\`run()\`\`.

Fares
=====

.. list-table:: Prices
   :header-rows: 1

   * - Route
     - Price
   * - North
     - 12

+-------+------+
| Route | Hour |
+=======+======+
| South | 9    |
|       | 10   |
+-------+------+

Notes
-----

- one
- two

.. note:: Bring a coat.

.. _fares:

.. This is a comment
   of two lines.

Example::

    ferry.leave()

.. code-block:: python
   :linenos:

   def leave():
       pass

.. [1] A footnote.
`,
    );
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'Ferry'],
      ['list', 'Author: Ann\nDate: 2024-01-31'],
      ['paragraph', 'See the plan and fares, or `run()`.'],
      ['heading 2', 'Fares'],
      ['paragraph', 'Prices'],
      ['table', '| Route | Price |\n| --- | --- |\n| North | 12 |'],
      ['table', '| Route | Hour |\n| --- | --- |\n| South | 9 10 |'],
      ['heading 3', 'Notes'],
      ['list', '- one\n- two'],
      ['paragraph', 'Bring a coat.'],
      ['paragraph', 'Example:'],
      ['code', 'ferry.leave()'],
      ['code', 'def leave():\n    pass'],
      ['paragraph', '[1] A footnote.'],
    ]);
    expect(read).toMatchObject({ title: 'Ferry', metadata: { author: 'Ann', date: '2024-01-31' } });
  });
});

describe('an Org file', () => {
  it('is read with outline, tables, lists and code, without drawers and directives', async () => {
    const read = await readFile(
      'a.org',
      `#+TITLE: Ferry
#+AUTHOR: Ann
#+STARTUP: overview
* TODO [#A] Fares :price:
:PROPERTIES:
:ID: 7
:END:
See [[http://example.org][the plan]] and =run()=.
# a comment
| Route | Price |
|-------+-------|
| North |    12 |
** Notes
- one
  goes on
- two
#+begin_src python
def leave():
    pass
#+end_src
#+begin_quote
Bring a coat.
#+end_quote
`,
    );
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'Fares'],
      ['paragraph', 'See the plan and `run()`.'],
      ['table', '| Route | Price |\n| --- | --- |\n| North | 12 |'],
      ['heading 2', 'Notes'],
      ['list', '- one\n  goes on\n- two'],
      ['code', 'def leave():\n    pass'],
      ['paragraph', 'Bring a coat.'],
    ]);
    expect(read).toMatchObject({ title: 'Ferry', metadata: { author: 'Ann' } });
  });
});

describe('an SVG drawing', () => {
  it('is read as its title, description and text', async () => {
    const read = await readFile(
      'a.svg',
      '<svg xmlns="http://www.w3.org/2000/svg"><title>Routes</title><desc>Where ferries go.</desc><style>.a{}</style><g><text><tspan>North</tspan><tspan>Pier</tspan></text></g><script>x()</script></svg>',
    );
    expect(read.text).toBe('Routes\n\nWhere ferries go.\n\nNorth Pier');
    expect(read.title).toBe('Routes');
  });
});

describe('a long Markdown text', () => {
  const block = fc.constantFrom(
    '# Title',
    'Some words\nof prose.',
    '- one\n\n  goes on\n- two',
    '1. one\n\n2. two',
    '```js\nlet a;\n\nFunction\n```',
    '~~~~\n```\n\nText\n~~~~',
    '<!-- a\n\nText -->',
    '<pre>\n\nText\n\n</pre>',
    '| a | b |\n| - | - |\n| 1 | 2 |',
    '> said\n\n> more',
    '    code\n\n    more',
    'Title\n=====',
    '* * *',
    '- a\n  ```\n  x\n\n  y\n  ```',
  );

  it('has the same blocks whether it is read in pieces or as a whole', () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 12 }), (blocks) => {
        // Long enough that every permitted cut is made.
        const text = blocks.map((one) => `${one}\n\n${'word '.repeat(900)}`).join('\n\n');
        const pieces = markdownPieces(text);
        expect(pieces.length).toBeGreaterThan(blocks.length / 2);
        const alone = blocks.flatMap((one) =>
          markdownBlocks(`${one}\n\nword`)
            .slice(0, -1)
            .map(({ kind }) => kind),
        );
        const found = markdownBlocks(text).filter(({ start }) => !text.startsWith('word word', start));
        expect(found.map(({ kind }) => kind)).toEqual(alone);
      }),
      { numRuns: 40 },
    );
  });

  it('of thousands of tables is read quickly', async () => {
    const text = 'Words.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n'.repeat(20_000);
    expect(await cpuSeconds(() => readFile('a.md', text))).toBeLessThan(15);
  });
});

describe('a long pathological text', () => {
  it.each([
    ['a.rst', '`a <b '.repeat(200_000)],
    ['a.rst', '.. a::\n'.repeat(200_000)],
    ['a.rst', '=\n'.repeat(500_000)],
    ['a.rst', 'a_ '.repeat(400_000)],
    ['a.org', '[[a]['.repeat(300_000)],
    ['a.org', '| a '.repeat(300_000)],
    ['a.org', '=a '.repeat(500_000)],
    ['a.ts', '"\\"'.repeat(400_000)],
    ['a.cpp', 'a b c d e f g h (\n'.repeat(100_000)],
    ['a.py', '"""a'.repeat(300_000)],
    ['a.rs', 'impl<'.repeat(300_000)],
    ['a.ics', `BEGIN:VCALENDAR\n${'BEGIN:VEVENT\n;"'.repeat(100_000)}`],
    ['a.eml', `Subject: ${'=?utf-8?q?a?= '.repeat(100_000)}\n\nx`],
    ['a.eml', `Content-Type: text/plain; ${'a="b'.repeat(200_000)}\n\nx`],
    ['a.eml', `Content-Transfer-Encoding: quoted-printable\n\n${' '.repeat(1_500_000)}x`],
  ])('in %s is read quickly (%#)', async (name, text) => {
    expect(await cpuSeconds(() => readFile(name, text).catch(() => undefined))).toBeLessThan(4);
  });
});
