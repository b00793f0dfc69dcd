import { type CaseChange, compareRuns, type RunComparison } from '../../src/evaluation/compare-runs.ts';
import type { ScoreName } from '../../src/evaluation/scores.ts';
import { alignedTable, markdownTable, shownChance, shownDifference, shownScore } from '../../src/evaluation/tables.ts';
import { type CollectionRun, casesOf, meanOf } from './collection-run.ts';

const SHOWN: readonly ScoreName[] = ['ndcg@10', 'recall@10', 'recall@100', 'mrr@10'];

/** Every run with its means. Milliseconds are of one query after another over loopback; they are no benchmark. */
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

/** nDCG@10 with collections as columns, and their means; a way of searching a line. */
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

const wayOf = (run: CollectionRun): string =>
  run.mode === 'full_text' ? 'full text' : `${run.mode}, ${embedderOf(run)}`;

const embedderOf = ({ embedder, embedded_with: used }: CollectionRun): string =>
  embedder === 'auto' ? `auto (${used.replace('builtin/', '')})` : embedder;

const MAX_LISTED = 10;

/** How a run differs from the one before, query by query. */
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
