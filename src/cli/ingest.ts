import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Metadata } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { isGlob, type SkipReason } from '../ingest/folders/find-files.ts';
import type { IngestOutcome } from '../ingest/folders/folder-target.ts';
import { publicOnly } from '../web/address-rules.ts';
import { createCrawlPolicy, defaultCrawlPolicy } from '../web/crawl-policy.ts';
import { createPageFetcher } from '../web/page-fetcher.ts';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { finishExtraction } from './graph.ts';
import { countSources, type IngestStep, ingestAll, isUrl, type SiteScope } from './ingest-all.ts';
import { visible, visibleLine } from './layout.ts';
import { count, duration, progressLine } from './progress-line.ts';
import { withClient } from './with-client.ts';

interface IngestOptions {
  readonly collection?: readonly string[];
  readonly metadata?: Metadata;
  readonly allowPrivateAddresses?: boolean;
  readonly sitemap?: boolean;
  readonly crawlDepth?: number;
  readonly maxPages?: number;
  readonly watch?: boolean;
  readonly keepDeleted?: boolean;
  readonly dryRun?: boolean;
  readonly enrich?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Counts so far. */
interface Tally {
  /** The first failures, repeated in the summary. */
  readonly failures: { readonly name: string; readonly reason: string }[];
  readonly outcomes: Record<IngestOutcome, number>;
  readonly skipped: Map<SkipReason, number>;
  /** Skipped files worth naming. */
  readonly named: NamedSkip[];
}

export interface NamedSkip {
  readonly name: string;
  readonly reason: SkipReason;
}

const REDRAW_MS = 100;
const SILENT_REPORT_MS = 15_000;

/** `citewell ingest`: takes in files, folders, globs and pages; what is there unchanged is passed over. */
export async function ingest(
  names: readonly string[],
  options: IngestOptions,
  context: CommandContext,
): Promise<ExitCode> {
  await requireAll(names);
  const other = await otherWay(names, options, context);
  if (other !== undefined) return other;
  const { output, interruption } = context;
  interruption.bePatient();
  const { dataDir: dataFolder, web: settings } = await context.config();
  const site = siteOf(options, names);
  const allowPrivate = options.allowPrivateAddresses === true;
  const fetcher = createPageFetcher({ rules: { ...publicOnly, open: settings.openHosts, allowPrivate } });
  // A crawl requests pages nobody named, so it obeys the site's robots.txt.
  const crawlPolicy = createCrawlPolicy(fetcher, { ...defaultCrawlPolicy, obeysRobots: settings.obeysRobots });
  return withClient(context, async (client) => {
    const tally: Tally = {
      outcomes: { ingested: 0, replaced: 0, unchanged: 0, duplicate: 0, failed: 0 },
      skipped: new Map(),
      named: [],
      failures: [],
    };
    const isEnriched = options.enrich === true;
    const chosen = {
      metadata: options.metadata ?? {},
      collections: options.collection ?? [],
      dataFolder,
      stop: interruption.stop,
      abandon: interruption.abandon,
    };
    if (isEnriched) {
      const { agreeToEnrich } = await import('./ingest-enriched.ts');
      const isAgreed = await agreeToEnrich(client, { names, options: chosen, isAgreed: options.yes === true }, context);
      if (!isAgreed) {
        await fetcher.close();
        output.note('Nothing was taken in.');
        return exitCodeOf(tally, interruption.received());
      }
    }
    const startedAt = performance.now();
    const view = progressView({ names, site, dataFolder, tally, startedAt }, context);
    interruption.stop.addEventListener('abort', view.stopping, { once: true });
    let failure: unknown;
    try {
      const steps = ingestAll(names, {
        ...chosen,
        client,
        isEnriched,
        web: { fetcher, crawlPolicy },
        site,
      });
      for await (const step of steps) {
        record(step, tally);
        if (options.json && step.type !== 'started') output.print(JSON.stringify(toJson(step)));
        if (step.type === 'result' && step.outcome === 'failed') {
          output.note(`${output.noteStyle('red', 'failed')} ${visibleLine(step.name)}: ${visible(step.reason ?? '')}`);
        }
        if (step.type === 'skipped' && step.reason === 'unreadable') {
          output.note(`${output.noteStyle('yellow', 'skipped')} ${visibleLine(step.name)}: it cannot be read.`);
        }
        view.update(step);
      }
    } catch (error) {
      // The work done so far still deserves a summary.
      failure = error;
    } finally {
      interruption.stop.removeEventListener('abort', view.stopping);
      view.end();
      await fetcher.close();
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const isNew = tally.outcomes.ingested + tally.outcomes.replaced > 0;
    if (failure === undefined && isNew && client.server === undefined) await finishGraph(client, context);
    if (failure === undefined && isNew && client.server === undefined) await finishSummaries(client, context);
    if (failure === undefined && isNew && client.server === undefined) await finishLearning(client, context);
    if (options.json) output.print(JSON.stringify(summaryJson(tally, seconds)));
    else {
      output.print(summaryText(tally, seconds));
      noteFailures(tally, output);
      noteSkipped(tally.named, output);
    }
    if (failure !== undefined && !interruption.abandon.aborted) throw failure;
    if (interruption.received() !== undefined) {
      output.note('Stopped. Run the same command again to go on: what is in already is passed over.');
    }
    return exitCodeOf(tally, interruption.received());
  });
}

/** Learns from the corpus before the program ends, unless that takes long or is interrupted. */
async function finishLearning(client: Client, { output, interruption }: CommandContext): Promise<void> {
  try {
    const steps = client.learn(interruption.stop);
    for (;;) {
      const step = await steps.next();
      output.status(
        step.done ? '' : `Learning from the corpus: ${count(step.value.done)} of ${count(step.value.total)} passages`,
      );
      if (!step.done) continue;
      if (step.value === 'left')
        output.note('A server (citewell serve) learns from the corpus what words go together.');
      return;
    }
  } catch (error) {
    output.status('');
    if (interruption.received() === undefined) throw error;
    output.note('What words go together is learned by the next server, or with the next documents.');
  }
}

/** Writes waiting summaries before the program ends, unless the model is away or it is interrupted. */
async function finishSummaries(client: Client, { output, interruption }: CommandContext): Promise<void> {
  let failed = 0;
  try {
    for await (const step of client.summarise(interruption.stop)) {
      failed = step.failed;
      output.status(`Summarising: ${count(step.done)} of ${count(step.total)} documents`);
    }
    if (failed > 0) output.note(`${count(failed)} documents keep sentences of their own as their summary.`);
  } catch (error) {
    const why = error instanceof ServiceError && interruption.received() === undefined ? ` (${error.message})` : '';
    output.note(`The other summaries are written by the next server, or with the next documents${why}.`);
  } finally {
    output.status('');
  }
}

/** Without a lasting server, finishes the graph before the program ends. */
async function finishGraph(client: Client, { output, interruption }: CommandContext): Promise<void> {
  try {
    const last = await finishExtraction(client.graph.finish(interruption.stop), output);
    if ((last?.failed ?? 0) > 0) output.note(`The graph of ${count(last?.failed ?? 0)} documents was not extracted.`);
  } catch (error) {
    if (interruption.received() === undefined) throw error;
    output.note('The graph of the rest is extracted by the next server, or by: citewell graph build');
  }
}

/** Modes of `ingest` other than ingesting everything once. */
async function otherWay(
  names: readonly string[],
  options: IngestOptions,
  context: CommandContext,
): Promise<ExitCode | undefined> {
  if (options.enrich === true && (options.watch === true || options.dryRun === true)) {
    throw new ServiceError('invalid_request', 'Give --enrich without --watch and --dry-run.');
  }
  if (options.yes === true && options.enrich !== true) {
    throw new ServiceError('invalid_request', '--yes goes with --enrich.');
  }
  if (options.watch === true && options.dryRun === true) {
    throw new ServiceError('invalid_request', 'Give --watch or --dry-run, not both.');
  }
  if (options.keepDeleted === true && options.watch !== true) {
    throw new ServiceError('invalid_request', '--keep-deleted goes with --watch.');
  }
  if (options.watch === true) return (await import('./ingest-watch.ts')).watchFolders(names, options, context);
  if (options.dryRun === true) return (await import('./ingest-dry-run.ts')).listSources(names, options, context);
  return undefined;
}

const STANDARD_PAGES = 500;

function siteOf({ sitemap, crawlDepth, maxPages }: IngestOptions, names: readonly string[]): SiteScope | undefined {
  if (sitemap !== true && crawlDepth === undefined) {
    if (maxPages === undefined) return undefined;
    throw new ServiceError('invalid_request', '--max-pages goes with --sitemap or --crawl-depth.');
  }
  if (sitemap === true && crawlDepth !== undefined) {
    throw new ServiceError('invalid_request', 'Give --sitemap or --crawl-depth, not both.');
  }
  if (!names.some(isUrl)) {
    throw new ServiceError('invalid_request', '--sitemap and --crawl-depth are for addresses; none is given.');
  }
  return { kind: sitemap === true ? 'sitemap' : 'crawl', depth: crawlDepth ?? 0, limit: maxPages ?? STANDARD_PAGES };
}

// Checked first: a misspelt name should not surface after an hour.
async function requireAll(names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (name.trim() === '') throw new ServiceError('invalid_request', 'A path is empty; name a file or a folder.');
    if (isUrl(name) || isGlob(name)) continue;
    const info = await stat(resolve(name)).catch(() => undefined);
    if (info === undefined) throw new ServiceError('invalid_request', `There is no file or folder "${name}".`);
    if (!info.isFile() && !info.isDirectory()) {
      throw new ServiceError('invalid_request', `"${name}" is neither a file nor a folder.`);
    }
  }
}

/** Failures repeated below the summary; `documents list` has the rest. */
const MAX_NAMED = 20;

function noteFailures({ failures, outcomes: { failed } }: Tally, output: CommandContext['output']): void {
  if (failed < 2) return;
  for (const { name, reason } of failures) output.note(`  ${visibleLine(name)}: ${visibleLine(reason)}`);
  if (failed > failures.length) output.note(`  and ${count(failed - failures.length)} more`);
}

/** Hidden files, dependencies and Citewell's own files are skipped without being named. */
export const isWorthNaming = (reason: SkipReason): boolean => reason === 'unsupported' || reason === 'special';

/** Below the summary: files passed over, and why. */
export function noteSkipped(named: readonly NamedSkip[], output: CommandContext['output']): void {
  for (const { name, reason } of named.slice(0, MAX_NAMED))
    output.note(`${output.noteStyle('yellow', 'skipped')} ${visibleLine(name)}: ${skipWords[reason]}`);
  if (named.length > MAX_NAMED) output.note(`  and ${count(named.length - MAX_NAMED)} more`);
}

function record(step: IngestStep, { outcomes, skipped, failures, named }: Tally): void {
  if (step.type === 'result') outcomes[step.outcome] += 1;
  if (step.type === 'result' && step.outcome === 'failed' && failures.length < MAX_NAMED) {
    failures.push({ name: step.name, reason: step.reason ?? '' });
  }
  if (step.type !== 'skipped') return;
  skipped.set(step.reason, (skipped.get(step.reason) ?? 0) + 1);
  if (isWorthNaming(step.reason)) named.push({ name: step.name, reason: step.reason });
}

interface Watched {
  readonly names: readonly string[];
  readonly site: SiteScope | undefined;
  readonly dataFolder: string;
  readonly tally: Tally;
  readonly startedAt: number;
}

function progressView(
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
    stopping: () => output.note('Finishing what is in hand; press Ctrl-C again to give it up.'),
    end() {
      counting.abort();
      output.status('');
    },
  };
}

const shortName = (name: string): string => visibleLine(name.split(/[/\\]/).at(-1) ?? name);
const sum = (counts: ReadonlyMap<unknown, number>): number => counts.values().reduce((total, each) => total + each, 0);

function toJson(step: Exclude<IngestStep, { type: 'started' }>) {
  const { name } = step;
  if (step.type === 'skipped') return { type: 'skipped', name, reason: step.reason };
  return {
    type: 'document',
    name,
    outcome: step.outcome,
    document_id: step.documentId,
    ...(step.reason && { reason: step.reason }),
  };
}

const summaryJson = ({ outcomes, skipped }: Tally, seconds: number) => ({
  type: 'summary',
  ...outcomes,
  skipped: Object.fromEntries(skipped),
  seconds: Number(seconds.toFixed(3)),
});

export const skipWords: Readonly<Record<SkipReason, string>> = {
  hidden: 'hidden',
  dependencies: 'node_modules',
  own: "Citewell's data",
  unsupported: 'of a type that cannot be read',
  unreadable: 'not readable',
  special: 'neither file nor folder',
};

function summaryText({ outcomes, skipped }: Tally, seconds: number): string {
  const parts = Object.entries(outcomes).filter(([outcome, number]) => number > 0 || outcome === 'ingested');
  const skips = [...skipped].map(([reason, number]) => `${count(number)} ${skipWords[reason]}`);
  const what = parts.map(([outcome, number]) => `${count(number)} ${outcome}`).join(', ');
  return `${what} in ${duration(seconds)}${skips.length === 0 ? '' : `; skipped: ${skips.join(', ')}`}.`;
}

function exitCodeOf({ outcomes }: Tally, received: string | undefined): ExitCode {
  if (received === 'SIGINT') return exitCodes.interrupted;
  if (received === 'SIGTERM') return exitCodes.terminated;
  if (outcomes.failed === 0) return exitCodes.ok;
  const { failed, ...others } = outcomes;
  return Object.values(others).some((number) => number > 0) ? exitCodes.partly : exitCodes.failure;
}
