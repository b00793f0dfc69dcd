import { describe, expect, it } from 'vitest';
import { storageToMarkdown } from '../../../src/sources/confluence/storage-to-markdown.ts';

const macro = (name: string, body = '', parameters: Readonly<Record<string, string>> = {}) =>
  `<ac:structured-macro ac:name="${name}" ac:schema-version="1">${Object.entries(parameters)
    .map(([key, value]) => `<ac:parameter ac:name="${key}">${value}</ac:parameter>`)
    .join('')}${body}</ac:structured-macro>`;
const rich = (body: string) => `<ac:rich-text-body>${body}</ac:rich-text-body>`;
const plain = (body: string) => `<ac:plain-text-body><![CDATA[${body}]]></ac:plain-text-body>`;

describe('the storage format as Markdown', () => {
  it.each([
    ['headings below the title', '<h1>A &amp; B</h1><h6>Deep</h6><h2> </h2>', '## A & B\n\n###### Deep'],
    ['paragraphs', '<p>One&nbsp;two&rsquo;s<br />three</p><p> </p><p>four</p>', 'One two’s\nthree\n\nfour'],
    ['what looks like Markdown', '<p># no heading</p><p>---</p>', '\\# no heading\n\n\\---'],
    ['powers', '<p>10<sup>6</sup> of CO<sub>2</sub></p>', '10^6 of CO2'],
    ['lists in lists', '<ol start="3"><li><p>a</p><ul><li>b</li></ul></li><li>c</li></ol>', '3. a\n   - b\n4. c'],
    [
      'code',
      macro('code', plain('if (a < b) {\n  x();\n}'), { language: 'java', title: 'Main' }),
      '**Main**\n\n```java\nif (a < b) {\n  x();\n}\n```',
    ],
    [
      'code with its own fences and CDATA ends',
      macro('noformat', plain('```\na]]]]><![CDATA[>b')),
      '````\n```\na]]>b\n````',
    ],
    [
      'panels',
      macro('warning', rich('<p>Stop.</p><ul><li>now</li></ul>'), { title: 'Load' }),
      '> **Warning: Load**\n>\n> Stop.\n>\n> - now',
    ],
    [
      'panels of the new editor',
      '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute><ac:adf-content><p>New.</p></ac:adf-content></ac:adf-node><ac:adf-fallback><p>Old.</p></ac:adf-fallback></ac:adf-extension>',
      '> **Note**\n>\n> New.',
    ],
    [
      'fallbacks',
      '<ac:adf-extension><ac:adf-node type="poll"/><ac:adf-fallback><p>Old.</p></ac:adf-fallback></ac:adf-extension>',
      'Old.',
    ],
    [
      'decisions',
      '<ac:adf-extension><ac:adf-node type="decision-list"><ac:adf-node type="decision-item"><ac:adf-content>Use larch.</ac:adf-content></ac:adf-node></ac:adf-node></ac:adf-extension>',
      '- Decision: Use larch.',
    ],
    ['what is folded', macro('expand', rich('<p>Hidden.</p>'), { title: 'More' }), '**More**\n\nHidden.'],
    ['states', `<p>It is ${macro('status', '', { colour: 'Green', title: 'DONE' })}.</p>`, 'It is DONE.'],
    ['issues', `<p>See ${macro('jira', '', { server: 'Jira', key: 'BARN-7' })}</p>`, 'See BARN-7'],
    ['no table of contents', `${macro('toc', '', { maxLevel: '3' })}<p>x</p>`, 'x'],
    [
      'the text of unknown macros',
      macro('acme', rich('<p>Kept.</p>'), { colour: 'red' }) + macro('acme2', plain('Also\nkept.')),
      'Kept.\n\nAlso\nkept.',
    ],
    [
      'HTML in a macro',
      macro('html', plain('<b>Bold</b> <ac:structured-macro ac:name="html">x</ac:structured-macro>')),
      'Bold x',
    ],
    [
      'tasks',
      '<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>incomplete</ac:task-status><ac:task-body>Order</ac:task-body></ac:task><ac:task><ac:task-status>complete</ac:task-status><ac:task-body><span>Pay <time datetime="2025-01-02" /></span></ac:task-body></ac:task></ac:task-list>',
      '- [ ] Order\n- [x] Pay 2025-01-02',
    ],
    [
      'links to pages',
      '<p><ac:link><ri:page ri:content-title="Beams" /><ac:plain-text-link-body><![CDATA[the beams]]></ac:plain-text-link-body></ac:link>, <ac:link><ri:page ri:space-key="X" ri:content-title="Nails" /></ac:link></p>',
      'the beams, Nails',
    ],
    [
      'links elsewhere',
      '<p><a href="https://example.org/x">site</a> <a href="https://example.org/y">https://example.org/y</a> <a href="javascript:x()">no</a></p>',
      '[site](https://example.org/x) https://example.org/y no',
    ],
    [
      'pictures',
      '<p><ac:image ac:alt="the barn"><ri:attachment ri:filename="b.png" /></ac:image></p><ac:image><ri:attachment ri:filename="c.png" /><ac:caption><p>From above</p></ac:caption></ac:image>',
      '(picture: the barn)\n\n(picture: From above)',
    ],
    [
      'included pages',
      macro('include', '', { '': '<ac:link><ri:page ri:content-title="Terms" /></ac:link>' }),
      '(Includes the page Terms.)',
    ],
    [
      'attached files that are shown',
      macro('view-file', '', { name: '<ri:attachment ri:filename="plan.pdf" />' }),
      'plan.pdf',
    ],
    ['no hints of templates', '<p>a<ac:placeholder>Type here</ac:placeholder></p>', 'a'],
    [
      'columns',
      '<ac:layout><ac:layout-section><ac:layout-cell><p>a</p></ac:layout-cell><ac:layout-cell><p>b</p></ac:layout-cell></ac:layout-section></ac:layout>',
      'a\n\nb',
    ],
  ])('has %s', (_, storage, markdown) => {
    expect(storageToMarkdown(storage)).toBe(markdown);
  });

  it('has tables, with cells over several rows in each of them', () => {
    const table =
      '<table><colgroup><col /></colgroup><tbody><tr><th>Part</th><th><p>State</p></th></tr>' +
      '<tr><td rowspan="2"><p>Beams | oak</p><ul><li><p>new</p></li><li>old</li></ul></td><td><ac:emoticon ac:name="tick" /></td></tr>' +
      '<tr><td><p>one</p><p>two</p></td></tr><tr><td colspan="2">all</td></tr></tbody></table>';
    expect(storageToMarkdown(table)).toBe(
      '| Part | State |\n| --- | --- |\n| Beams \\| oak; new; old | ✔ |\n| Beams \\| oak; new; old | one; two |\n| all | all |',
    );
  });

  it('repeats cells only up to a limit', () => {
    const cell = `<td rowspan="100" colspan="100">${'x'.repeat(1000)}</td>`;
    const table = `<table><tbody>${`<tr><td>a</td>${cell}</tr>`.repeat(500)}</tbody></table>`;
    expect(storageToMarkdown(table).length).toBeLessThan(5_000_000);
  });

  it('dissolves layout tables', () => {
    const table = `<table><tbody><tr><td><h2>Left</h2></td><td>${macro('code', plain('x'))}</td></tr></tbody></table>`;
    expect(storageToMarkdown(table)).toBe('### Left\n\n```\nx\n```');
  });

  it('reads damaged input, and refuses excessive nesting', () => {
    expect(storageToMarkdown('<p>a<ac:structured-macro ac:name="info"><ac:rich-text-body><p>b')).toBe(
      'a\n\n> **Info**\n>\n> b',
    );
    expect(storageToMarkdown(`${'<div>'.repeat(500)}deep${'</div>'.repeat(500)}`)).toBe('deep');
    expect(() => storageToMarkdown('<div>'.repeat(100_000))).toThrow('nested too deeply');
  });

  it.each([
    ['crossed out', `${'<s>'.repeat(55)}x`, '~'.repeat(110)],
    ['raised', `${'<sup>'.repeat(55)}x`, '^x'],
    ['in code', `<pre>a${' '.repeat(200_000)}b</pre>`, 'b\n```'],
  ])('takes time linear in the text: %s', (_, storage, part) => {
    expect(storageToMarkdown(storage)).toContain(part);
  });
});
