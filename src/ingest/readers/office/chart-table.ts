import { cleanLine } from '../encoding/clean-text.ts';
import { type HtmlElement, type HtmlNode, textBelow } from '../html/html-nodes.ts';
import { markdownTable } from '../markdown/markdown-table.ts';
import { attributeOf, elementsBelow, elementsOf, firstBelow } from '../xml/xml.ts';

const MAX_POINTS = 1_000;
const MAX_SERIES = 50;
const MAX_LEVELS = 8;

/** The data of a chart, as last cached: a row per category, a column per series. */
export function chartTable(chart: HtmlNode): { readonly title: string; readonly table: string } {
  const heading = firstBelow(chart, 'title');
  const title = heading === undefined ? '' : cleanLine([...elementsBelow(heading, 't')].map(textBelow).join(''));
  const series = [...elementsBelow(chart, 'ser')].slice(0, MAX_SERIES);
  const categories = categoriesOf(series.map((one) => firstBelow(one, 'cat')).find((one) => one !== undefined));
  const names = series.map((one) => pointsOf(elementsOf(one, 'tx')[0]).get(0) ?? '');
  const values = series.map((one) => pointsOf(firstBelow(one, 'val')));
  const indexes = [...new Set([...categories.keys(), ...values.flatMap((points) => [...points.keys()])])];
  const rows = indexes
    .sort((a, b) => a - b)
    .map((index) => [categories.get(index) ?? '', ...values.map((points) => points.get(index) ?? '')]);
  return { title, table: rows.length === 0 ? '' : markdownTable(['', ...names], rows) };
}

/** The names of the categories; of those in groups, such as cities in countries, with the names of the groups before. */
function categoriesOf(source: HtmlElement | undefined): Map<number, string> {
  const [own, ...groups] =
    source === undefined ? [] : [...elementsBelow(source, 'lvl')].slice(0, MAX_LEVELS).map(pointsOf);
  if (own === undefined) return pointsOf(source);
  return new Map(
    [...own].map(([index, name]) => {
      const above = groups.map((group) => group.get(Math.max(...[...group.keys()].filter((first) => first <= index))));
      return [index, [...above.reverse(), name].filter((part) => part !== undefined).join(' / ')];
    }),
  );
}

function pointsOf(source: HtmlElement | undefined): Map<number, string> {
  const points = new Map<number, string>();
  if (source === undefined) return points;
  for (const point of elementsBelow(source, 'pt')) {
    if (points.size >= MAX_POINTS) break;
    const value = firstBelow(point, 'v');
    if (value !== undefined)
      points.set(Number(attributeOf(point.attribs, 'idx') ?? points.size), shortNumber(cleanLine(textBelow(value))));
  }
  // A literal name has no points.
  const single = points.size === 0 ? firstBelow(source, 'v') : undefined;
  return single === undefined ? points : new Map([[0, cleanLine(textBelow(single))]]);
}

/** Numbers are cached with the noise of binary fractions: 4.4000000000000004 is shown as 4.4. */
function shortNumber(value: string): string {
  const short = String(Number(Number(value).toPrecision(15)));
  return /^-?\d+\.\d{12,}$/.test(value) && !short.includes('e') ? short : value;
}
