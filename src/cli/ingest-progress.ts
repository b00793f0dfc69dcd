import { pathToFileURL } from 'node:url';
import { countSources, isUrl, type SiteScope } from '../ingest/find-sources.ts';
import type { IngestItem } from '../ingest/folders/folder-target.ts';
import type { IngestStep } from '../ingest/ingest-all.ts';
import type { CommandContext } from './command-context.ts';
import type { DocumentProgress } from './document-progress.ts';
import type { Tally } from './ingest-tally.ts';
import { visibleLine } from './layout.ts';
import { count, duration, progressLine } from './progress-line.ts';

const REDRAW_MS = 100;
/** Keeps the elapsed time current while a large document is ingested. */
const TICK_MS = 1_000;

interface ProgressParts {
  readonly names: readonly string[];
  readonly site: SiteScope | undefined;
  readonly dataFolder: string;
  readonly tally: Tally;
  readonly startedAt: number;
}

/** Redraws the progress of `ingest` on a terminal; elsewhere writes a line now and then. */
export function progressView(
  { names, site, dataFolder, tally, startedAt }: ProgressParts,
  { output, interruption }: Pick<CommandContext, 'output' | 'interruption'>,
) {
  let total: number | undefined;
  /** Number of files found so far, while they are counted. */
  let listed: number | undefined;
  let current: string | undefined;
  /** Progress of documents that take long, by source. */
  const details = new Map<string, { readonly words: string; readonly since: number }>();
  let drawnAt = startedAt;
  const counting = new AbortController();
  const stop = AbortSignal.any([counting.signal, interruption.stop]);
  const counted = countSources(names, { dataFolder, site, stop }, (soFar) => {
    listed = soFar;
  });
  void counted.then((all) => {
    total = all;
    listed = undefined;
  });
  const line = () => {
    const { outcomes, skipped } = tally;
    const done = Object.values(outcomes).reduce((sum, each) => sum + each, 0);
    const elapsedSeconds = (performance.now() - startedAt) / 1000;
    // Files that have been ingested are known, even if the count has not come to them yet.
    const found = listed === undefined ? undefined : Math.max(listed, done);
    const counts = { done, total, listed: found, failed: outcomes.failed, skipped: sum(skipped) };
    const progress = { ...counts, elapsedSeconds, unit: 'files' };
    const latest = [...details.values()].at(-1);
    const shown = latest && `${latest.words}, ${duration((performance.now() - latest.since) / 1000)}`;
    const working = shown ?? current;
    return progressLine(working === undefined ? progress : { ...progress, current: working }, output.width);
  };
  const draw = () => {
    drawnAt = performance.now();
    output.status(line());
  };
  const ticking = setInterval(draw, TICK_MS).unref();
  return {
    update(step: IngestStep) {
      if (step.type === 'started') current = shortName(step.name);
      else details.delete(sourceOf(step.name));
      if (performance.now() - drawnAt >= REDRAW_MS) draw();
    },
    /** Shows the progress of one document. */
    progress({ source, fileName }: IngestItem, { stage, done, total }: DocumentProgress) {
      const words = total === undefined ? stage : `${stage} ${count(done ?? 0)} of ${count(total)} passages`;
      const since = details.get(source)?.since ?? performance.now();
      // Reinserted, so that the most recently updated document is last.
      details.delete(source);
      details.set(source, { words: `${shortName(fileName)}: ${words}`, since });
    },
    stopping: () => output.note('Finishing the current documents; press Ctrl-C again to abort them.'),
    end() {
      counting.abort();
      clearInterval(ticking);
      output.status('');
    },
  };
}

const sourceOf = (name: string): string => (isUrl(name) ? (URL.parse(name)?.href ?? name) : pathToFileURL(name).href);
const shortName = (name: string): string => visibleLine(name.split(/[/\\]/).at(-1) ?? name);
const sum = (counts: ReadonlyMap<unknown, number>): number => counts.values().reduce((total, each) => total + each, 0);
