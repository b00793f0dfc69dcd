import { describe, expect, it } from 'vitest';
import { typeByName } from '../../../src/ingest/readers/file-types.ts';
import { checkSize } from '../../../src/ingest/readers/index.ts';
import { cpuSeconds } from '../cpu-seconds.ts';
import { makeZip } from '../make-docx.ts';
import { blocksOf, readFile } from './support.ts';

describe('Markdown', () => {
  it('is kept unchanged, with the offsets of each block', async () => {
    const text =
      '# Guide *one*\n\nSome text.\n\n- a\n- b\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```js\nlet a;\n```\n\n> said\n';
    const read = await readFile('guide.md', text);
    expect(read.text).toBe(text);
    expect(blocksOf(read).map(([kind]) => kind)).toEqual(['heading 1', 'paragraph', 'list', 'table', 'code', 'quote']);
    expect(read.blocks[0]?.label).toBe('Guide one');
    expect(read.title).toBe('Guide one');
  });

  it('has its front matter as metadata', async () => {
    const read = await readFile(
      'a.md',
      '---\ntitle: "A day"\nyear: 2024\ndraft: false\ntags: [sea, "a b"]\nby:\n  - Ann\n---\n# Head\n',
    );
    expect(read.metadata).toEqual({ title: 'A day', year: 2024, draft: false, tags: ['sea', 'a b'], by: ['Ann'] });
    expect(read.text).toBe('# Head\n');
  });

  it('reads its front matter as YAML: quoted commas, comments, folded text, nesting', async () => {
    const read = await readFile(
      'a.md',
      '---\ntags: [a, "b, c"]\ntitle: Yes # c\nabstract: >\n  One\n  line.\nby:\n  name: Ann\ndate: 2024-01-31\n---\nText\n',
    );
    expect(read.title).toBe('Yes');
    expect(read.metadata).toMatchObject({
      tags: ['a', 'b, c'],
      abstract: 'One line.\n',
      by: { name: 'Ann' },
      date: '2024-01-31',
    });
  });

  it.each([
    ['aliases that grow', `a: &a [x, x]\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c]`],
    ['deep nesting', `a: ${'['.repeat(15_000)}`],
  ])('leaves front matter with %s in the text', async (_, fields) => {
    const text = `---\n${fields}\n---\ntext`;
    expect((await readFile('a.md', text)).text).toBe(text);
  });

  it('keeps a leading thematic break that is no front matter', async () => {
    expect((await readFile('a.md', '---\nNot a field\n---\ntext')).text).toBe('---\nNot a field\n---\ntext');
  });
});

describe('subtitles', () => {
  it.each([
    ['tags without an end', '<and '.repeat(30_000)],
    ['a speaker without an end', `<v${' '.repeat(100_000)}`],
    ['settings without an end', '{\\and '.repeat(30_000)],
  ])('are read in linear time with %s', async (_, line) => {
    const content = `WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n${line}\n\n00:00:03.000 --> 00:00:04.000\n<v Ann>Over.\n`;
    let text = '';
    const seconds = await cpuSeconds(async () => {
      text = (await readFile('a.vtt', content)).text;
    });
    expect(text).toContain('Ann: Over.');
    expect(seconds).toBeLessThan(2);
  });

  it('are the spoken text with timestamps', async () => {
    const read = await readFile(
      'talk.srt',
      '1\r\n00:00:58,000 --> 00:01:00,000\r\n<i>The ferry</i>\r\nleaves.\r\n\r\n2\r\n01:02:03,500 --> 01:02:05,000\r\nIt is late.\r\n',
    );
    expect(read).toMatchObject({ type: 'srt', text: '00:00:58\n\nThe ferry leaves.\n\n01:02:03\n\nIt is late.' });
    expect(blocksOf(read).map(([kind]) => kind)).toEqual(['heading 2', 'paragraph', 'heading 2', 'paragraph']);
    const spoken = await readFile(
      'talk.vtt',
      'WEBVTT\n\nSTYLE\n::cue {}\n\nintro\n00:05.000 --> 00:06.000 align:start\n<v Ann>Good &amp; <b>new</b>.\n',
    );
    expect(spoken.text).toBe('00:00:05\n\nAnn: Good & new.');
  });
});

describe('a notebook', () => {
  it('is read cell by cell: text, code and output', async () => {
    const cells = [
      { cell_type: 'markdown', source: ['# Fares\n', '\n', 'By route.'] },
      {
        cell_type: 'code',
        source: ['print(fare)\n', 'fare'],
        outputs: [
          { output_type: 'stream', text: ['12\n'] },
          { output_type: 'execute_result', data: { 'text/plain': ['12.5'], 'image/png': 'iVBOR' } },
        ],
      },
    ];
    const read = await readFile('fares.ipynb', JSON.stringify({ cells, metadata: {}, nbformat: 4 }));
    expect(read).toMatchObject({ type: 'ipynb', title: 'Fares' });
    expect(read.text).toBe('Fares\n\nBy route.\n\nprint(fare)\nfare\n\n12\n\n12.5');
    expect(blocksOf(read).map(([kind]) => kind)).toEqual(['heading 1', 'paragraph', 'code', 'code', 'code']);
    await expect(readFile('fares.ipynb', '{"cells": 1}')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('fares.ipynb is not a readable notebook'),
    });
  });
});

describe('plain text', () => {
  it('has paragraphs and unambiguous headings', async () => {
    const read = await readFile(
      'a.txt',
      'THE ISLANDS\n\nFirst line\nsecond line.\n\n2.1 Boats\n\nMore.\n\nHarbour\n=======\n\n- one\n- two',
    );
    expect(blocksOf(read).map(([kind]) => kind)).toEqual([
      'heading 1',
      'paragraph',
      'heading 2',
      'paragraph',
      'heading 1',
      'list',
    ]);
  });

  it.each([
    ['blanks', ' '.repeat(1_500_000)],
    ['blanks and line ends', ' \n'.repeat(700_000)],
    ['one letter', 'x'.repeat(1_900_000)],
  ])('of a long run of %s is read quickly', async (_, text) => {
    expect(await cpuSeconds(() => readFile('a.txt', text))).toBeLessThan(3);
  });
});

describe('a table', () => {
  it.each([
    ['commas', ','],
    ['semicolons', ';'],
    ['tabs', '\t'],
    ['bars', '|'],
  ])('with %s becomes rows that name their columns', async (_, delimiter) => {
    const rows = [
      ['route', 'price', 'note'],
      ['North', '12,50', 'a "b"'],
      ['South', '14', ''],
    ];
    const quoted = rows.map((row) =>
      row.map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter),
    );
    const read = await readFile('a.csv', quoted.join('\r\n'));
    expect(read.text).toBe(
      `route${delimiter}price${delimiter}note\n\nroute: North; price: 12,50; note: a "b"\nroute: South; price: 14`,
    );
    expect(read.metadata).toEqual({ columns: ['route', 'price', 'note'], row_count: 2 });
  });

  it('without a header keeps its cells', async () => {
    expect((await readFile('a.csv', '1,2\n3,4\n5,6,7\n')).text).toBe('1,2\n3,4\n5,6,7');
  });

  it.each([
    ['years', 'Country,2019,2020\nNorway,5.3,5.4\nSweden,10.2,10.3', 'Country: Norway; 2019: 5.3; 2020: 5.4'],
    ['repeated names', 'Name,Value,Value\nAlpha,10,20\nBeta,30,40', 'Name: Alpha; Value: 10; Value: 20'],
    ['an empty corner', ',Coal,Gas\nNorway,1,22\nSweden,2,1', 'Row: Norway; Coal: 1; Gas: 22'],
    ['numbered rows', '0,Coal\n1,22\n2,14', '0: 1; Coal: 22'],
    [
      'columns without a name',
      'Line,Fare,,Boats,Year\nNorth,12,x,3,2020',
      'Line: North; Fare: 12; x; Boats: 3; Year: 2020',
    ],
    ['a line that names the delimiter', 'sep=;\nLine;Fare\nNorth;12,5', 'Line: North; Fare: 12,5'],
  ])('names the columns of rows below %s', async (_, content, row) => {
    expect((await readFile('a.csv', content)).text.split('\n')[2]).toBe(row);
  });

  it('has its titles and remarks above its column names', async () => {
    const content =
      'Revenue of the group,,,\n,,,\n# in thousands,,,\nRegion,Q1,Q2,Q3\nNorth,101,102,103\nSouth,1,2,3\n';
    const read = await readFile('a.csv', content);
    expect(read.text).toBe(
      'Revenue of the group\n\n# in thousands\n\nRegion,Q1,Q2,Q3\n\nRegion: North; Q1: 101; Q2: 102; Q3: 103\nRegion: South; Q1: 1; Q2: 2; Q3: 3',
    );
    expect(read.metadata).toEqual({ columns: ['Region', 'Q1', 'Q2', 'Q3'], row_count: 2 });
  });

  it.each([
    ['years in each row', 'Ann,2019,Oslo\nBen,2020,Rome\nCid,2021,Bonn'],
    ['repeated words', 'yes,no,yes\nno,no,yes'],
    ['half of the names', 'Line,Fare,,\nNorth,x,y,z\nSouth,x,y,z'],
  ])('keeps its cells as they are with %s', async (_, content) => {
    expect((await readFile('a.csv', content)).text).toBe(content);
  });

  it.each([
    ['in a short table', ''],
    ['before a million characters', 'x'.repeat(1_000_000)],
  ])('is read with a quotation mark that is never closed, %s', async (_, rest) => {
    const content = `Name,Price\n"nut, small",2\n"5 inch bolt,3\nwasher,4\n${rest}\n`;
    const { text } = await readFile('a.csv', content);
    expect(text).toContain('Name: "5 inch bolt; Price: 3\nName: washer; Price: 4');
  });

  it('keeps a multi-line cell in its row', async () => {
    expect((await readFile('a.csv', 'a,b\n"one\ntwo",3\n')).text).toBe('a,b\n\na: one two; b: 3');
  });
});

describe('JSON', () => {
  it('becomes a line for each value, led by its path', async () => {
    const read = await readFile(
      'a.json',
      '{"title":"Fleet","ferries":[{"name":"Terna","places":{"bikes":6}},{"name":"Havdis","tags":["a","b"]}],"none":null}',
    );
    expect(read.text).toBe(
      'title: Fleet\n\nferries[0].name: Terna\nferries[0].places.bikes: 6\n\nferries[1].name: Havdis\nferries[1].tags: a, b',
    );
    expect(read.title).toBe('Fleet');
  });

  it('keeps numbers as they are written', async () => {
    const read = await readFile('a.json', '{"id":12345678901234567890,"price":1.50,"far":[1e400,-0.0]}');
    expect(read.text).toBe('id: 12345678901234567890\nprice: 1.50\nfar: 1e400, -0.0');
  });

  it('of lines has a block for each', async () => {
    expect(blocksOf(await readFile('a.jsonl', '{"a":1}\n\n{"a":2,"b":"x"}\n'))).toEqual([
      ['list', 'a: 1'],
      ['list', 'a: 2\nb: x'],
    ]);
  });

  it.each([
    ['broken JSON', 'a.json', '{"a": '],
    ['a broken line', 'a.jsonl', '{"a":1}\nnope\n'],
    ['JSON nested past all reason', 'a.json', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ])('refuses %s', async (_, name, text) => {
    await expect(readFile(name, text)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(name),
    });
  });
});

describe('source code', () => {
  it('has a section for each function and class, with the comment that belongs to it', async () => {
    const text =
      'import a from "a";\n\n// Adds.\nexport function add(a, b) {\n  const c = a;\n\n  return c + b;\n}\n\nclass B {\n  x = 1;\n}\n';
    const read = await readFile('a.ts', text);
    expect(read.text).toBe(text);
    expect(blocksOf(read)).toEqual([
      ['code', 'import a from "a";'],
      ['heading 1', '// Adds.\nexport function add(a, b) {'],
      ['code', '  const c = a;'],
      ['code', '  return c + b;\n}'],
      ['heading 1', 'class B {'],
      ['code', '  x = 1;\n}'],
    ]);
    expect(read.blocks.flatMap(({ label }) => label ?? [])).toEqual(['add', 'B']);
    expect(read.metadata).toEqual({ language: 'ts' });
  });
});

describe('a file past the limit of its type', () => {
  const css = typeByName('css');
  const file = { bytes: new Uint8Array(10_500_000), fileName: 'a.css' };

  it('is refused with the number', () => {
    if (css === undefined) expect.fail('There is no such type.');
    expect(() => checkSize(css, file)).toThrow('a.css has 10.5 MB; a file of type css may have 10.0 MB.');
  });

  it('is read where the operator allows it, and no larger one', () => {
    if (css === undefined) expect.fail('There is no such type.');
    expect(() => checkSize(css, file, 10_500_000)).not.toThrow();
    expect(() => checkSize(css, file, 1_000_000)).toThrow('may have 1.0 MB. Split it, or raise CITEWELL_MAX_FILE_MB.');
  });

  it('is refused inside an archive', async () => {
    const zip = makeZip([
      { name: 'a.css', content: Buffer.alloc(10_500_000, 'a ') },
      { name: 'b.txt', content: 'Some words.' },
    ]);
    const { text, metadata } = await readFile('a.zip', zip);
    expect(text).toContain('Some words.');
    expect(text).not.toContain('a a a a');
    // The setting is for files that are not nested.
    expect(metadata['unread_files']).toEqual([
      { name: 'a.css', reason: expect.stringMatching(/may have 10\.0 MB\. Upload it separately\.$/) },
    ]);
  });
});
