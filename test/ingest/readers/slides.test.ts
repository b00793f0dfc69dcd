import { describe, expect, it } from 'vitest';
import { chartTable } from '../../../src/ingest/readers/office/chart-table.ts';
import { parseXml } from '../../../src/ingest/readers/xml/xml.ts';
import { makeZip } from '../make-docx.ts';
import { openDocumentParts, presentationParts, relations, shape, type TestSlide } from '../make-office.ts';
import { blocksOf, readFile } from './support.ts';

const readSlides = (slides: readonly TestSlide[], more: Parameters<typeof makeZip>[0] = []) =>
  readFile('a.pptx', makeZip([...presentationParts(slides), ...more]));

describe('a presentation', () => {
  it('has a page and a heading for each slide, its points as a list and its notes', async () => {
    const read = await readSlides([
      { shapes: shape('ctrTitle', 'Ferries') + shape('subTitle', 'A talk') },
      {
        shapes: shape('body', 'Two boats', '\tone new') + shape('title', 'The fleet') + shape('sldNum', '2'),
        notes: 'Mention the crew.',
      },
    ]);
    expect(blocksOf(read)).toEqual([
      ['heading 1', 'Ferries'],
      ['paragraph', 'A talk'],
      ['heading 2', 'The fleet'],
      ['list', '- Two boats\n  - one new'],
      ['paragraph', 'Notes: Mention the crew.'],
    ]);
    expect(read.pages.map(({ number, start, end }) => [number, read.text.slice(start, end).slice(0, 9)])).toEqual([
      [1, 'Ferries\n\n'],
      [2, 'The fleet'],
    ]);
    expect(read.metadata).toMatchObject({ slide_count: 2 });
  });

  it('uses the slide number as heading of a slide without a title', async () => {
    const read = await readSlides([
      { shapes: shape('title', 'One') },
      { shapes: shape(undefined, 'Alone'), attributes: 'show="0"' },
    ]);
    expect(blocksOf(read).slice(1)).toEqual([
      ['heading 2', 'Slide 2'],
      ['paragraph', 'Alone'],
    ]);
    expect(read.metadata).toMatchObject({ hidden_slides: [2] });
  });

  it('is read with tables and grouped shapes, and one of several alternative contents', async () => {
    const cell = (text: string, attributes = '') =>
      `<a:tc ${attributes}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
    const table = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>${cell('Line')}${cell('Boats')}</a:tr><a:tr>${cell('All', 'gridSpan="2"')}${cell('', 'hMerge="1"')}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
    const group = `<p:grpSp>${shape(undefined, 'In a group')}</p:grpSp>`;
    const alternate = `<mc:AlternateContent><mc:Choice>${shape(undefined, 'New')}</mc:Choice><mc:Fallback>${shape(undefined, 'Old')}</mc:Fallback></mc:AlternateContent>`;
    const read = await readSlides([{ shapes: shape('title', 'T') + table + group + alternate }]);
    expect(blocksOf(read).slice(1)).toEqual([
      ['table', '| Line | Boats |\n| --- | --- |\n| All |  |'],
      ['paragraph', 'In a group'],
      ['paragraph', 'New'],
    ]);
  });

  const points = (...values: readonly string[]) =>
    values.map((value, index) => (value === '' ? '' : `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`)).join('');

  it('includes the data of charts', async () => {
    const chart = `<c:chartSpace><c:ser><c:tx><c:strRef><c:strCache>${points('Guests')}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${points('May', 'June')}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>${points('5.4000000000000004', '8')}</c:numCache></c:numRef></c:val></c:ser></c:chartSpace>`;
    const frame =
      '<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic></p:graphicFrame>';
    const read = await readSlides(
      [{ shapes: shape('title', 'T') + frame }],
      [
        {
          name: 'ppt/slides/_rels/slide1.xml.rels',
          content: relations([{ type: 'chart', target: '../charts/chart1.xml' }]),
        },
        { name: 'ppt/charts/chart1.xml', content: chart },
      ],
    );
    expect(blocksOf(read)[1]).toEqual(['table', '|  | Guests |\n| --- | --- |\n| May | 5.4 |\n| June | 8 |']);
  });

  it('names the categories of charts with the groups that contain them', () => {
    const names = `<c:multiLvlStrRef><c:lvl>${points('Holm', 'Lunga', 'Terna')}</c:lvl><c:lvl>${points('North', '', 'South')}</c:lvl></c:multiLvlStrRef>`;
    const values = `<c:numRef>${points('5', '8', '3')}</c:numRef>`;
    const chart = `<c:chartSpace><c:ser><c:cat>${names}</c:cat><c:val>${values}</c:val></c:ser></c:chartSpace>`;
    const rows = chartTable(parseXml(chart, 'chart.xml')).table.split('\n').slice(2);
    expect(rows).toEqual(['| North / Holm | 5 |', '| North / Lunga | 8 |', '| South / Terna | 3 |']);
  });
});

describe('an OpenDocument presentation', () => {
  it('has a page and a heading for each slide, and its notes', async () => {
    const box = (kind: string, text: string) =>
      `<draw:frame presentation:class="${kind}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
    const read = await readFile(
      'a.odp',
      makeZip(
        openDocumentParts(
          'presentation',
          `<draw:page>${box('title', 'Ferries')}${box('outline', 'Two boats')}<draw:custom-shape><text:p>A shape</text:p></draw:custom-shape><presentation:notes>${box('notes', 'Say hello.')}</presentation:notes></draw:page><draw:page>${box('outline', 'More')}</draw:page>`,
        ),
      ),
    );
    expect(blocksOf(read)).toEqual([
      ['heading 2', 'Ferries'],
      ['paragraph', 'Two boats'],
      ['paragraph', 'A shape'],
      ['paragraph', 'Notes: Say hello.'],
      ['heading 2', 'Slide 2'],
      ['paragraph', 'More'],
    ]);
    expect(read.pages.map(({ number }) => number)).toEqual([1, 2]);
  });
});
