import { type CaseChange, compareRuns, type RunComparison } from '../../src/evaluation/compare-runs.ts';
import type { ScoreName } from '../../src/evaluation/scores.ts';
import { markdownTable, shownChance, shownDifference, shownScore } from '../../src/evaluation/tables.ts';
import { alignedTable } from '../../src/shared/aligned-table.ts';
import { type CollectionRun, casesOf, meanOf } from './collection-run.ts';
import { storeLabels, stores } from './stores.ts';

const SHOWN: readonly ScoreName[] = ['ndcg@10', 'recall@10', 'recall@100', 'mrr@10'];

/** All runs with their means. Times are of sequential queries over loopback and not a benchmark. */
export function runTable(runs: readonly CollectionRun[], isMarkdown: boolean): string[] {
  const head = ['collection', 'embedder', 'search', 'queries', 'nDCG@10', 'Recall@10', 'Recall@100', 'MRR@10'];
  const times = ['ms/query', 'ingest s'];
  const rows = [
    [...head, ...times],
    ...runs.map((run) => [
      run.collection,
      embedderOf(run),
      run.mode,
      String(run.queries.length),
      ...SHOWN.map((score) => shownScore(run.means[score])),
      run.milliseconds_per_query.toFixed(1),
      run.ingest_seconds === null ? 'kept' : run.ingest_seconds.toFixed(1),
    ]),
  ];
  return isMarkdown ? markdownTable(rows) : alignedTable(rows, 3);
}

/** nDCG@10 with one column per collection, the means, and one row per search configuration. */
export function overview(runs: readonly CollectionRun[], isMarkdown: boolean): string[] {
  const collections = [...new Set(runs.map(({ collection }) => collection))];
  const ways = [...new Set(runs.map(wayOf))];
  const rows = ways.map((way) => {
    const own = collections.map((name) => runs.find((run) => run.collection === name && wayOf(run) === way));
    const there = own.filter((run) => run !== undefined);
    const mean = (score: ScoreName) => there.reduce((sum, run) => sum + meanOf(run, score), 0) / there.length;
    const means = there.length === own.length ? [mean('ndcg@10'), mean('recall@100')] : [undefined, undefined];
    return [way, ...own.map((run) => shownScore(run?.means['ndcg@10'])), ...means.map(shownScore)];
  });
  const all = [['nDCG@10', ...collections, 'mean', 'mean Recall@100'], ...rows];
  return isMarkdown ? markdownTable(all) : alignedTable(all);
}

const wayOf = (run: CollectionRun): string => `${searchOf(run)}${run.store === 'sqlite' ? '' : `, ${run.store}`}`;

const searchOf = (run: CollectionRun): string =>
  run.mode === 'full_text' ? 'full text' : `${run.mode}, ${embedderOf(run)}`;

const embedderOf = ({ embedder, embedded_with: used }: CollectionRun): string =>
  embedder === 'auto' ? `auto (${used.replace('builtin/', '')})` : embedder;

/** nDCG@10 with one column per store and one row per search of a collection; `isEqual` to three decimals. */
export function storeTable(
  runs: readonly CollectionRun[],
  isMarkdown: boolean,
): { readonly lines: string[]; readonly isEqual: boolean } {
  const there = stores.filter((store) => runs.some((run) => run.store === store));
  const searches = [...Map.groupBy(runs, (run) => JSON.stringify([run.collection, searchOf(run)])).values()];
  const rows = searches.flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const shown = there.map((store) => shownScore(own.find((run) => run.store === store)?.means['ndcg@10']));
    return [[first.collection, searchOf(first), ...shown, new Set(shown).size === 1 ? 'yes' : 'no']];
  });
  const all = [['nDCG@10', 'search', ...there.map((store) => storeLabels[store]), 'equal'], ...rows];
  return {
    lines: isMarkdown ? markdownTable(all) : alignedTable(all),
    isEqual: rows.every((row) => row.at(-1) === 'yes'),
  };
}

const MAX_LISTED = 10;

/** Compares a run with an earlier one, query by query. */
export function differences(before: CollectionRun, now: CollectionRun): { lines: string[]; comparison: RunComparison } {
  const comparison = compareRuns(casesOf(before), casesOf(now));
  const rows = comparison.scores
    .filter(({ score }) => SHOWN.includes(score))
    .map((each) => [
      each.score,
      shownScore(each.before),
      shownScore(each.now),
      shownDifference(each.meanDifference),
      String(each.wins),
      String(each.losses),
      shownChance(each.pValue),
    ]);
  const table = alignedTable([['', 'before', 'now', 'difference', 'better', 'worse', 'p'], ...rows]);
  const changes = comparison.scores.find(({ score }) => score === 'ndcg@10')?.changes ?? [];
  const lost = changes.filter((change) => change.now < change.before);
  const won = changes.filter((change) => change.now > change.before).toReversed();
  const lines = [
    `${now.collection}, ${embedderOf(now)}, ${now.mode}: ${comparison.shared} queries in both`,
    ...table,
    ...listed('worse', lost),
    ...listed('better', won),
  ];
  return { lines, comparison };
}

function listed(title: string, changes: readonly CaseChange[]): string[] {
  if (changes.length === 0) return [];
  const shown = changes.slice(0, MAX_LISTED).map(({ text, before, now }) => {
    const places = `${shownScore(before)} → ${shownScore(now)}`;
    return `    ${places}  ${text.replace(/\s+/g, ' ').slice(0, 120)}`;
  });
  const more = changes.length - shown.length;
  return [`  ${title} by nDCG@10:`, ...shown, ...(more > 0 ? [`    and ${more} more`] : [])];
}
