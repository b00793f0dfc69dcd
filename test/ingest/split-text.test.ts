import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../src/ingest/readers/index.ts';
import { markdownBlocks } from '../../src/ingest/readers/markdown/markdown.ts';
import { paragraphsOf } from '../../src/ingest/readers/plain/text.ts';
import { type SplitChunk, type SplitOptions, splitText } from '../../src/ingest/split-text.ts';
import { makeZip, wordParagraph, wordParts } from './make-docx.ts';
import { sheetRow, workbookParts } from './make-office.ts';

const KAFKA =
  'One morning, when Gregor Samsa woke from troubled dreams, he found himself transformed in his bed into a horrible vermin.';

const split = (text: string, options?: SplitOptions): SplitChunk[] =>
  splitText({ text, blocks: paragraphsOf(text), pages: [] }, options);
const htmlTable = ([head = [], ...rows]: readonly string[][]): string =>
  `<table><tr><th>${head.join('</th><th>')}</th></tr>${rows.map((row) => `<tr><td>${row.join('</td><td>')}</td></tr>`).join('')}</table>`;
const wordCell = (text: string): string => `<w:tc>${wordParagraph(text)}</w:tc>`;
const splitMarkdown = (text: string): SplitChunk[] => splitText({ text, blocks: markdownBlocks(text), pages: [] });

describe('splitting with explicit sizes', () => {
  it('yields the numbers of chunks that R2R clients expect', () => {
    expect(split(KAFKA, { chunkSize: 10, chunkOverlap: 0 })).toHaveLength(17);
    expect(split(KAFKA, { chunkSize: 100, chunkOverlap: 20 })).toHaveLength(2);
  });

  it('starts a chunk with the end of the previous one, up to the overlap', () => {
    const [first, second] = split(KAFKA, { chunkSize: 100, chunkOverlap: 20 });
    expect(first?.text.endsWith('in his bed')).toBe(true);
    expect(second?.text).toBe('in his bed into a horrible vermin.');
    expect(KAFKA.slice(second?.start, second?.end)).toBe(second?.text);
  });

  it('splits at paragraphs before lines and at lines before words', () => {
    const text = 'one two\nthree four\n\nfive six';
    expect(split(text, { chunkSize: 20, chunkOverlap: 0 }).map(({ text }) => text)).toEqual([
      'one two\nthree four',
      'five six',
    ]);
    expect(split(text, { chunkSize: 12, chunkOverlap: 0 }).map(({ text }) => text)).toEqual([
      'one two',
      'three four',
      'five six',
    ]);
  });
});

describe('splitting by structure', () => {
  it('names a passage of several short sections after the heading above all of them', () => {
    const slides = ['Boats', 'Quays', 'Cranes'].map((title) => `## ${title}\n\nShort words on ${title}.`);
    const [chunk, ...others] = splitMarkdown(`# Harbour\n\n${slides.join('\n\n')}`);
    expect(others).toEqual([]);
    expect(chunk?.headingPath).toEqual(['Harbour']);
    expect(splitMarkdown(`# Harbour\n\n${slides[0]}`)[0]?.headingPath).toEqual(['Harbour', 'Boats']);
  });

  const filler = (topic: string) => `${topic} is described here at some length. `.repeat(8).trim();

  it('cuts a long list between its items, not between their lines', () => {
    const items = Array.from(
      { length: 40 },
      (_, index) =>
        `- Item ${index} says something at the length of one line, goes\n  on for all of the second, which is as long as it is, and\n  is done in the third.`,
    );
    const chunks = splitMarkdown(items.join('\n'));
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text } of chunks) expect(text).toMatch(/^- Item[\s\S]*done in the third\.$/);
  });

  it('begins a chunk at each heading and names the headings above it', () => {
    const text = `# Guide\n\n${filler('Welcome')}\n\n## Fares\n\n${filler('Price')}\n\n### Children\n\n${filler('Discount')}\n\n## Dogs\n\n${filler('Lead')}`;
    expect(splitMarkdown(text).map(({ headingPath }) => headingPath)).toEqual([
      ['Guide'],
      ['Guide', 'Fares'],
      ['Guide', 'Fares', 'Children'],
      ['Guide', 'Dogs'],
    ]);
    expect(splitMarkdown(text)[1]?.text.startsWith('## Fares')).toBe(true);
  });

  it('keeps a heading with what follows it', () => {
    const [only, ...others] = splitMarkdown(`# Guide\n\n## Fares\n\n${filler('Price')}`);
    expect(others).toEqual([]);
    expect(only?.headingPath).toEqual(['Guide', 'Fares']);
  });

  it('splits a long paragraph between sentences', () => {
    const text = Array.from(
      { length: 60 },
      (_, index) => `Sentence number ${index} was written by Dr. Holm for the U.S. office.`,
    ).join(' ');
    const chunks = split(text);
    expect(chunks.length).toBeGreaterThan(2);
    for (const chunk of chunks) {
      expect(chunk.text).toMatch(/^Sentence number/);
      expect(chunk.text).toMatch(/office\.$/);
    }
  });

  it('splits a long table between rows and repeats its header with each part', () => {
    const rows = Array.from({ length: 80 }, (_, index) => `| Pier ${index} | ${index * 3} kroner |`);
    const chunks = splitMarkdown(['| Stop | Price |', '| --- | --- |', ...rows].join('\n'));
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks.slice(1)) {
      expect(chunk.text).toMatch(/^\| Pier \d+ \|[\s\S]*kroner \|$/);
      expect(chunk.headingPath).toEqual(['Stop | Price']);
      expect(chunk.text).not.toContain('Stop');
    }
  });

  it.each([
    ['html', (rows: readonly string[][]) => `<h1>Fares</h1>${htmlTable(rows)}`],
    ['html', (rows: readonly string[][]) => `<h1>Fares</h1>${htmlTable(rows).replaceAll('th>', 'td>')}`],
    [
      'docx',
      (rows: readonly string[][]) =>
        makeZip(
          wordParts(`<w:tbl>${rows.map((row) => `<w:tr>${row.map(wordCell).join('')}</w:tr>`).join('')}</w:tbl>`),
        ),
    ],
    [
      'xlsx',
      (rows: readonly string[][]) =>
        makeZip(workbookParts([{ name: 'Fares', rows: rows.map((row, at) => sheetRow(at + 1, row)).join('') }])),
    ],
    ['csv', (rows: readonly string[][]) => rows.map((row) => row.join(',')).join('\n')],
    [
      'rst',
      (rows: readonly string[][]) =>
        `.. csv-table::\n   :header-rows: 1\n\n   ${rows.map((row) => row.join(', ')).join('\n   ')}\n`,
    ],
  ])('names the columns with each part of a long table in %s, and keeps exact places', async (type, write) => {
    const rows = Array.from({ length: 120 }, (_, index) => [`Pier ${index}`, `${index * 3} kroner`]);
    const { signal } = new AbortController();
    const written = write([['Stop', 'Price'], ...rows]);
    const bytes = typeof written === 'string' ? Buffer.from(written) : written;
    const read = await readDocument(type, { bytes, fileName: `fares.${type}`, signal });
    const chunks = splitText(read);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text, headingPath, start, end } of chunks) {
      expect(`${headingPath.join(' ')} ${text}`).toMatch(/Stop[\s\S]*Price/);
      expect(read.text.slice(start, end)).toBe(text);
    }
    for (const [name = ''] of rows) expect(chunks.some(({ text }) => text.includes(name))).toBe(true);
  });

  it('gives each chunk the page it starts on', () => {
    const first = filler('Page one');
    const second = filler('Page two');
    const text = `${first}\n\n${second.repeat(4)}`;
    const pages = [
      { number: 1, start: 0, end: first.length },
      { number: 2, start: first.length + 2, end: text.length },
    ];
    const chunks = splitText({ text, blocks: paragraphsOf(text), pages });
    expect(chunks.map(({ page }) => page)).toEqual([1, ...Array<number>(chunks.length - 1).fill(2)]);
  });

  it('never splits a grapheme cluster', () => {
    for (const character of ['👩‍👩‍👧‍👦', 'e\u0301', '🇳🇴', '한']) {
      for (const { text } of split(character.repeat(3_000)))
        expect([...new Intl.Segmenter().segment(text)].every(({ segment }) => segment === character)).toBe(true);
    }
  });

  it('splits scripts without spaces between words', () => {
    const chunks = split('我们在海边散步'.repeat(500));
    expect(chunks.length).toBeGreaterThan(2);
    for (const { text } of chunks) expect(text.length).toBeLessThanOrEqual(1_200);
  });
});

describe('every split', () => {
  const words = fc.stringMatching(/^[a-zæøåβж漢]{1,30}$/);
  const text = fc
    .array(
      fc.oneof(
        { weight: 8, arbitrary: words },
        {
          weight: 1,
          arbitrary: fc.constantFrom('\n', '\n\n', '# Title', '- item', '| a | b |', 'end.', '😀', '\t', '```'),
        },
      ),
      { maxLength: 600 },
    )
    .map((parts) => parts.join(' '));
  const options = fc.oneof(
    fc.constant<SplitOptions>({}),
    fc.record({ chunkSize: fc.integer({ min: 40, max: 400 }), chunkOverlap: fc.integer({ min: 0, max: 30 }) }),
  );

  it('yields exact offsets, in order, within the size, and loses nothing but white space', () => {
    fc.assert(
      fc.property(text, options, fc.boolean(), (given, sizes, isMarkdown) => {
        const blocks = isMarkdown ? markdownBlocks(given) : paragraphsOf(given);
        const chunks = splitText({ text: given, blocks, pages: [] }, sizes);
        const covered = new Uint8Array(given.length);
        let last = -1;
        for (const { text: own, start, end, order } of chunks) {
          expect(own).toBe(given.slice(start, end));
          expect(own).toBe(own.trim());
          expect(own.length).toBeLessThanOrEqual(sizes.chunkSize ?? 1_200);
          expect(start).toBeGreaterThan(last);
          expect(chunks[order]?.start).toBe(start);
          last = start;
          covered.fill(1, start, end);
        }
        for (let index = 0; index < given.length; index++) {
          if (covered[index] === 0) expect(given.charAt(index)).toMatch(/\s/);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('splits no word that would fit into a chunk', () => {
    fc.assert(
      fc.property(text, (given) => {
        for (const { start, end } of split(given)) {
          expect(start === 0 || /\s/.test(given.charAt(start - 1))).toBe(true);
          expect(end === given.length || /\s/.test(given.charAt(end))).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });
});
