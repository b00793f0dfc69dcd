import { type FoldedText, foldText, type Located, type PagePart } from '../locate-quote.ts';
import type { PageItems, PlacedRun } from './page-items.ts';

interface PageRuns {
  readonly number: number;
  readonly items: PageItems;
}

/**
 * Locates a quote whose words do not follow each other in the file, such as the cells of a table, text around a figure,
 * or a line from right to left: as a sequence of whole text runs, of which only the first and the last may be partly
 * quoted. Of several such sequences the one with the shortest steps is returned, if the others are clearly longer.
 */
export function locateRuns(pages: readonly PageRuns[], quote: string, page: number): Located {
  const wanted = foldText(quote).text;
  const runs = pages.flatMap(({ number, items }) => foldRuns(number, items));
  const byFirst = Map.groupBy(runs, ({ folded }) => folded.text.slice(0, 1));
  const open = createQueue();
  for (const chain of beginnings(runs, wanted, page)) open.add(chain);
  let best: Chain | undefined;
  while (open.added() < MAX_SEQUENCES) {
    const chain = open.takeCheapest();
    if (chain === undefined || (best !== undefined && chain.cost >= best.cost + MIN_LEAD)) {
      return best === undefined ? { kind: 'not_found' } : { kind: 'found', parts: partsOf(best) };
    }
    if (chain.done === wanted.length) {
      if (best !== undefined && keyOf(best) !== keyOf(chain)) return { kind: 'ambiguous', count: 2 };
      best ??= chain;
      continue;
    }
    for (const next of byFirst.get(wanted.slice(chain.done, chain.done + 1)) ?? []) {
      const longer = extend(chain, next, wanted);
      if (longer !== undefined) open.add(longer);
    }
  }
  return { kind: 'not_found' };
}

/** Above this number of possible sequences, the location is not certain. */
const MAX_SEQUENCES = 40_000;
/** Any other sequence must cost this much more. */
const MIN_LEAD = 2;

interface FoldedRun {
  readonly page: number;
  /** Position among the runs with text; runs of different pages are never adjacent. */
  readonly order: number;
  readonly place: PlacedRun;
  readonly folded: FoldedText;
}

/** A beginning of the quote as a sequence of runs; a linked list from its end. */
interface Chain {
  readonly run: FoldedRun;
  /** The quoted range of the run's folded text. */
  readonly from: number;
  readonly to: number;
  readonly before: Chain | undefined;
  /** Number of letters of the quote up to here. */
  readonly done: number;
  readonly cost: number;
}

const MAX_RUNS = 1_000_000;

function foldRuns(page: number, { runs }: PageItems): FoldedRun[] {
  return runs
    .map((place) => ({ page, place, folded: foldText(place.text) }))
    .filter(({ folded }) => folded.text !== '')
    .map((run, order) => ({ ...run, order: page * MAX_RUNS + order }));
}

/** Runs on the page whose end is the beginning of the quote. */
function beginnings(runs: readonly FoldedRun[], wanted: string, page: number): Chain[] {
  return runs
    .filter((run) => run.page === page)
    .flatMap((run) => {
      const { text } = run.folded;
      const chains: Chain[] = [];
      for (let from = 0; from < text.length; from++) {
        if (wanted.startsWith(text.slice(from))) {
          const done = text.length - from;
          chains.push({ run, from, to: text.length, before: undefined, done, cost: from === 0 ? 0 : PARTIAL });
        }
      }
      return chains;
    });
}

function extend(chain: Chain, run: FoldedRun, wanted: string): Chain | undefined {
  const { text } = run.folded;
  const length = Math.min(text.length, wanted.length - chain.done);
  if (!wanted.startsWith(text.slice(0, length), chain.done) || uses(chain, run)) return undefined;
  const cost = chain.cost + stepCost(chain.run, run) + (length < text.length ? PARTIAL : 0);
  return { run, from: 0, to: length, before: chain, done: chain.done + length, cost };
}

function uses(chain: Chain, run: FoldedRun): boolean {
  for (let each: Chain | undefined = chain; each !== undefined; each = each.before) if (each.run === run) return true;
  return false;
}

/** The quote begins or ends within a run: less likely than at its edge. */
const PARTIAL = 0.5;
const SAME_LINE = 0.5;
const OTHER_LINE = 4;
const OTHER_PAGE = 6;

/** Zero to the next run of the file, unless it is further up; otherwise more for other lines and longer distances. */
function stepCost({ order, page, place }: FoldedRun, next: FoldedRun): number {
  if (next.page !== page) return next.page === page + 1 ? OTHER_PAGE : Number.POSITIVE_INFINITY;
  const size = Math.max(place.size, next.place.size, 1);
  const up = (next.place.across - place.across) / size;
  if (next.order === order + 1 && up < LINE_HEIGHT) return 0;
  const after = next.place.along - (place.along + place.width);
  const before = place.along - (next.place.along + next.place.width);
  const gap = Math.max(0, after, before) / size;
  return Math.abs(up) < LINE_HEIGHT ? SAME_LINE + gap * 0.1 : OTHER_LINE + (Math.abs(up) + gap) * 0.05;
}

/** Runs of one line differ less in their height; in heights of a letter. */
const LINE_HEIGHT = 0.6;

/** Unfinished sequences by cost. */
function createQueue() {
  const buckets: Chain[][] = [];
  let count = 0;
  return {
    added: () => count,
    add(chain: Chain): void {
      const index = Math.round(chain.cost * BUCKETS_PER_UNIT);
      if (!Number.isFinite(index)) return;
      count++;
      const bucket = buckets[index] ?? [];
      bucket.push(chain);
      buckets[index] = bucket;
    },
    takeCheapest: (): Chain | undefined =>
      buckets.find((bucket?: Chain[]) => bucket !== undefined && bucket.length > 0)?.pop(),
  };
}

const BUCKETS_PER_UNIT = 20;

function linksOf(chain: Chain): Chain[] {
  const links: Chain[] = [];
  for (let each: Chain | undefined = chain; each !== undefined; each = each.before) links.unshift(each);
  return links;
}

/** Equal for sequences of the same letters of the page. */
const keyOf = (chain: Chain): string =>
  linksOf(chain)
    .map(({ run, from, to }) => `${run.order}:${from}-${to}`)
    .sort()
    .join();

const partsOf = (chain: Chain): PagePart[] =>
  linksOf(chain).map(({ run: { page, place, folded }, from, to }) => ({
    page,
    start: place.start + (folded.from[from] ?? 0),
    end: place.start + (folded.to[to - 1] ?? 0),
  }));
