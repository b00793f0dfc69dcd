import type { TextBuilder } from '../build-text.ts';
import type { ZipPackage } from '../containers/zip-package.ts';
import { cleanLine } from '../encoding/clean-text.ts';
import { type HtmlElement, textBelow } from '../html/html-nodes.ts';
import { attributeOf, elementsBelow, elementsOf, parseXml } from '../xml/xml.ts';
import { chartTable } from './chart-table.ts';
import { relationsOf } from './package-relations.ts';

/** Adds the text boxes that lie on a sheet, and the titles of its charts, whose figures are in cells. */
export function addDrawings(
  builder: TextBuilder,
  { file, sheet, fileName }: { readonly file: ZipPackage; readonly sheet: string; readonly fileName: string },
): void {
  // A drawing may hold the same shape twice, for newer and for older versions.
  const texts = new Set<string>();
  for (const { type, target } of relationsOf(file, sheet, fileName)) {
    const drawing = type === 'drawing' ? file.text(target) : undefined;
    if (drawing === undefined) continue;
    const root = parseXml(drawing, fileName);
    for (const box of elementsBelow(root, 'txBody')) texts.add(textOf(box));
    const relations = relationsOf(file, target, fileName);
    for (const { attribs } of elementsBelow(root, 'chart')) {
      const part = relations.find(({ id }) => id === attributeOf(attribs, 'id'))?.target;
      const chart = part === undefined ? undefined : file.text(part);
      if (chart !== undefined) texts.add(chartTable(parseXml(chart, fileName)).title);
    }
  }
  for (const text of texts) builder.add('paragraph', text);
}

const textOf = (box: HtmlElement): string =>
  elementsOf(box, 'p')
    .map((paragraph) => cleanLine([...elementsBelow(paragraph, 't')].map(textBelow).join('')))
    .filter((line) => line !== '')
    .join('\n');
