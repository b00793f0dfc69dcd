import { countSources, type IngestStep, type SiteScope } from '../ingest/ingest-all.ts';
import type { CommandContext } from './command-context.ts';
import type { Tally } from './ingest-tally.ts';
import { visibleLine } from './layout.ts';
import { progressLine } from './progress-line.ts';

const REDRAW_MS = 100;
const SILENT_REPORT_MS = 15_000;

interface Watched {
  readonly names: readonly string[];
  readonly site: SiteScope | undefined;
  readonly dataFolder: string;
  readonly tally: Tally;
  readonly startedAt: number;
}

/** Redraws the progress of `ingest` on a terminal; elsewhere writes a line now and then. */
export function progressView(
  { names, site, dataFolder, tally, startedAt }: Watched,
  { output, interruption }: CommandContext,
) {
  const interval = output.isInteractive ? REDRAW_MS : SILENT_REPORT_MS;
  let total: number | undefined;
  let current: string | undefined;
  let drawnAt = startedAt;
  const counting = new AbortController();
  if (output.isInteractive) {
    const stop = AbortSignal.any([counting.signal, interruption.stop]);
    void countSources(names, { dataFolder, site, stop }).then((counted) => {
      total = counted;
    });
  }
  const line = () => {
    const { outcomes, skipped } = tally;
    const done = Object.values(outcomes).reduce((sum, each) => sum + each, 0);
    const elapsedSeconds = (performance.now() - startedAt) / 1000;
    const progress = { done, total, failed: outcomes.failed, skipped: sum(skipped), elapsedSeconds, unit: 'files' };
    return progressLine(current === undefined ? progress : { ...progress, current }, output.width);
  };
  return {
    update(step: IngestStep) {
      if (step.type === 'started') current = shortName(step.name);
      if (performance.now() - drawnAt < interval) return;
      drawnAt = performance.now();
      if (output.isInteractive) output.status(line());
      else output.note(line());
    },
    stopping: () => output.note('Finishing the current documents; press Ctrl-C again to abort them.'),
    end() {
      counting.abort();
      output.status('');
    },
  };
}

const shortName = (name: string): string => visibleLine(name.split(/[/\\]/).at(-1) ?? name);
const sum = (counts: ReadonlyMap<unknown, number>): number => counts.values().reduce((total, each) => total + each, 0);
