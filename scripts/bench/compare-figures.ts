import { readFile } from 'node:fs/promises';
import { comparePairs } from '../../src/evaluation/paired-test.ts';
import type { Figures, SizeFigures } from './figures.ts';
import { kinds, type Measured, shares } from './measure-search.ts';
import { table } from './tables.ts';

/** The compared searches, each with the bare stores whose times serve as its reference. */
const compared = kinds.flatMap((kind) => {
  const names: Measured[] = [`${kind}, no filter`, ...shares.map((share): Measured => `${kind}, ${share}`)];
  const bare: Measured[] =
    kind === 'hybrid' ? ['bare Chroma', 'bare FTS5'] : [kind === 'semantic' ? 'bare Chroma' : 'bare FTS5'];
  return names.map((name) => ({ name, bare }));
});

export interface Change {
  readonly name: Measured;
  /** Time now divided by the time before, both relative to the bare stores on the same questions. */
  readonly factor: number;
  readonly pValue: number;
  readonly verdict: 'slower' | 'faster' | 'as before';
}

const SIGNIFICANT = 0.01;
const WORTH_NAMING = 1.05;

/**
 * Compares the searches of two runs question by question. Each time is divided by that of the bare stores on the same
 * question in the same run, so that the load of the machine cancels out.
 */
export function compareSearches(before: SizeFigures['search'], now: SizeFigures['search']): Change[] {
  return compared.map(({ name, bare }) => {
    const earlier = relativeTimes(before, name, bare);
    const later = relativeTimes(now, name, bare);
    const { meanDifference, pValue } = comparePairs(later.map((time, index) => (earlier[index] ?? time) - time));
    const factor = Math.exp(-meanDifference);
    const isSignificant = pValue < SIGNIFICANT && Math.max(factor, 1 / factor) > WORTH_NAMING;
    return { name, factor, pValue, verdict: !isSignificant ? 'as before' : factor > 1 ? 'slower' : 'faster' };
  });
}

/** Logarithms of the relative times, so that differences correspond to factors. */
function relativeTimes(search: SizeFigures['search'], name: Measured, bare: readonly Measured[]): number[] {
  return search[name].each.map((time, index) => {
    const references = bare.map((each) => Math.log(search[each].each[index] ?? Number.NaN));
    return Math.log(time) - references.reduce((sum, each) => sum + each, 0) / references.length;
  });
}

/** Reads the figures of a run from a file of `--json`, or the last run of a file of `--history`. */
export async function readFigures(path: string): Promise<Figures> {
  const text = (await readFile(path, 'utf8')).trim();
  const figures = JSON.parse(path.endsWith('.jsonl') ? text.slice(text.lastIndexOf('\n') + 1) : text) as Figures;
  const timing = figures.sizes?.[0]?.search['bare Chroma'];
  if (timing?.each === undefined) {
    throw new Error(`${path} has no times of single questions; make it with: npm run -s bench -- --json FILE`);
  }
  return figures;
}

/** Describes the changes since an earlier run in Markdown. Throws if the runs used different texts. */
export function comparisonLines(before: Figures, now: Figures): string[] {
  if (before.seed !== now.seed) throw new Error(`The runs have different texts: seeds ${before.seed} and ${now.seed}.`);
  const lines = [`Compared with the run of ${before.date} (version ${before.version})`, ''];
  for (const size of now.sizes) {
    const same = before.sizes.find(({ chunks }) => chunks === size.chunks);
    const count = size.search['bare Chroma'].each.length;
    if (same?.search['bare Chroma'].each.length !== count) {
      lines.push(`${size.chunks} chunks: not measured with the same questions before.`, '');
      continue;
    }
    const searches = compareSearches(same.search, size.search).map(({ name, factor, pValue, verdict }) => [
      name.replace('_', ' '),
      factor.toFixed(2),
      pValue.toFixed(4),
      verdict,
    ]);
    const others = single(same).map(([name, value], index) => {
      const later = single(size)[index]?.[1] ?? Number.NaN;
      return [name, (later / value).toFixed(2), '', `${value.toFixed(0)}, now ${later.toFixed(0)}`];
    });
    lines.push(...table([[`${size.chunks} chunks`, 'now ÷ before', 'p', ''], ...searches, ...others]), '');
  }
  return lines;
}

/** Figures measured once per run, which therefore have no significance test. */
const single = ({ start }: SizeFigures): (readonly [name: string, value: number])[] => [
  ['process start to the first search, ms', start.searches],
  ['a search until the index is compared, ms', start.meanwhile],
  ['memory of the server, MB', start.server.afterSearches],
  ['memory of Chroma, MB', start.chroma.afterSearches],
];
