import type { TextBuilder } from '../build-text.ts';
import { cleanLine, cleanText } from '../encoding/clean-text.ts';
import { gridTable } from '../grid-table.ts';
import { childrenOf, type HtmlElement, type HtmlNode, isElement, textBelow } from '../html/html-nodes.ts';
import { attributeOf, elementsBelow, elementsOf, firstBelow, localName } from '../xml/xml.ts';
import { chartTable } from './chart-table.ts';

/** Finds the part for a relationship id of the slide; undefined when there is none. */
type PartById = (id: string) => HtmlNode | undefined;

export interface SlideShapes {
  readonly root: HtmlNode;
  /** From 1. */
  readonly number: number;
  readonly partById: PartById;
}

/** Heading of a slide without a title, so that it does not appear to belong to the previous one. */
export const untitled = (number: number): string => `Slide ${number}`;

/** Placeholders repeated on every slide: date, footer and number. */
const HEADER_AND_FOOTER_TYPES = new Set(['dt', 'ftr', 'sldNum', 'hdr', 'sldImg']);

/** Writes the content of a slide: title first, then the rest in the slide's own order. */
export function addShapes(builder: TextBuilder, slide: SlideShapes): void {
  const { root, number, partById } = slide;
  const tree = firstBelow(root, 'spTree');
  const shapes = tree === undefined ? [] : [...shapesOf(tree)];
  const title = shapes.find(
    (shape) => /title/i.test(placeholderOf(shape) ?? '') && placeholderOf(shape) !== 'subTitle',
  );
  const text = (title === undefined ? [] : paragraphsOf(title)).map((paragraph) => paragraph.text).join(' ');
  const level = title !== undefined && placeholderOf(title) === 'ctrTitle' ? 1 : 2;
  builder.add('heading', text.replace(/\s+/g, ' ') || untitled(number), { level });
  for (const shape of shapes) {
    if (shape === title || HEADER_AND_FOOTER_TYPES.has(placeholderOf(shape) ?? '')) continue;
    if (localName(shape.name) === 'graphicFrame') addFrame(builder, shape, partById);
    else addText(builder, shape);
  }
}

/** Shapes and frames, including those in groups; of alternative renderings the one for current programs. */
function* shapesOf(node: HtmlNode): Generator<HtmlElement, void> {
  for (const child of childrenOf(node)) {
    if (!isElement(child)) continue;
    const name = localName(child.name);
    if (name === 'sp' || name === 'graphicFrame' || name === 'cxnSp') yield child;
    else if (name === 'grpSp') yield* shapesOf(child);
    else if (name === 'AlternateContent') {
      const [chosen] = [...elementsOf(child, 'Choice'), ...elementsOf(child, 'Fallback')];
      if (chosen !== undefined) yield* shapesOf(chosen);
    }
  }
}

function placeholderOf(shape: HtmlElement): string | undefined {
  const placeholder = firstBelow(shape, 'ph');
  return placeholder === undefined ? undefined : (attributeOf(placeholder.attribs, 'type') ?? 'body');
}

interface Paragraph {
  readonly text: string;
  readonly level: number;
}

function paragraphsOf(shape: HtmlNode): Paragraph[] {
  return [...elementsBelow(shape, 'txBody')].flatMap((body) =>
    elementsOf(body, 'p')
      .map((paragraph) => {
        const properties = elementsOf(paragraph, 'pPr')[0];
        const level = Number(properties === undefined ? 0 : (attributeOf(properties.attribs, 'lvl') ?? 0));
        return { text: lineOf(paragraph), level: Number.isInteger(level) ? Math.min(8, Math.max(0, level)) : 0 };
      })
      .filter(({ text }) => text !== ''),
  );
}

function lineOf(paragraph: HtmlElement): string {
  const parts = elementsOf(paragraph).map((run) => {
    const name = localName(run.name);
    if (name === 'br') return '\n';
    return name === 'pPr' || name === 'endParaRPr' ? '' : [...elementsBelow(run, 't')].map(textBelow).join('');
  });
  return cleanText(parts.join('')).trim();
}

/** Body text with several paragraphs is a list; text boxes are paragraphs. */
function addText(builder: TextBuilder, shape: HtmlElement): void {
  const paragraphs = paragraphsOf(shape);
  if (placeholderOf(shape) === 'body' && paragraphs.length > 1) {
    const lines = paragraphs.map(({ text, level }) => `${'  '.repeat(level)}- ${text.replaceAll('\n', ' ')}`);
    builder.add('list', lines.join('\n'));
  } else builder.add('paragraph', paragraphs.map(({ text }) => text).join('\n'));
}

function addFrame(builder: TextBuilder, frame: HtmlElement, partById: PartById): void {
  const table = firstBelow(frame, 'tbl');
  if (table !== undefined) {
    builder.add('table', gridTable(elementsOf(table, 'tr').map(rowOf)));
    return;
  }
  const diagram = firstBelow(frame, 'relIds');
  if (diagram !== undefined) {
    const data = partById(attributeOf(diagram.attribs, 'dm') ?? '');
    const points = data === undefined ? [] : [...elementsBelow(data, 'pt')].map((point) => cleanLine(texts(point)));
    builder.add(
      'list',
      points
        .filter((text) => text !== '')
        .map((text) => `- ${text}`)
        .join('\n'),
    );
    return;
  }
  const chart = firstBelow(frame, 'chart');
  const data = chart === undefined ? undefined : partById(attributeOf(chart.attribs, 'id') ?? '');
  if (data === undefined) return;
  const { title, table: shown } = chartTable(data);
  if (title !== '') builder.add('paragraph', title);
  builder.add('table', shown);
}

const rowOf = (row: HtmlElement) =>
  elementsOf(row, 'tc')
    // A cell covered by a merged one is still present in the XML.
    .filter(
      ({ attribs }) => attributeOf(attribs, 'hMerge') === undefined && attributeOf(attribs, 'vMerge') === undefined,
    )
    .map((cell) => ({
      text: paragraphsOf(cell)
        .map(({ text }) => text)
        .join(' '),
      columns: Number(attributeOf(cell.attribs, 'gridSpan') ?? 1),
      rows: Number(attributeOf(cell.attribs, 'rowSpan') ?? 1),
    }));

const texts = (node: HtmlNode): string => [...elementsBelow(node, 't')].map(textBelow).join(' ');
/** The speaker's notes of a slide. */
export function textOfNotes(notes: HtmlNode): string {
  return [...elementsBelow(notes, 'sp')]
    .filter((shape) => placeholderOf(shape) === 'body')
    .flatMap((shape) => paragraphsOf(shape).map(({ text }) => text))
    .join('\n');
}
