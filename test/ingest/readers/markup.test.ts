import { describe, expect, it } from 'vitest';
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
