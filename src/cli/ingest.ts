import type { Config } from '../config.ts';
import type { SiteScope } from '../ingest/find-sources.ts';
import { type IngestAllOptions, ingestAll } from '../ingest/ingest-all.ts';
import { createPageReaders } from '../ingest/page-readers.ts';
import { onAbort } from '../shared/abort.ts';
import { publicOnly } from '../web/address-rules.ts';
import { createCrawlPolicy, defaultCrawlPolicy } from '../web/crawl-policy.ts';
import { createPageFetcher } from '../web/page-fetcher.ts';
import type { WebSettings } from '../web/web-settings.ts';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import type { ExitCode } from './exit-codes.ts';
import { finishBackgroundWork } from './finish-background-work.ts';
import { noteFailures } from './ingest-failures.ts';
import { checkIngestOptions, type IngestOptions, requireAll, siteOf } from './ingest-options.ts';
import { progressView } from './ingest-progress.ts';
import {
  emptyTally,
  exitCodeOf,
  isEmpty,
  record,
  summaryJson,
  summaryText,
  type Tally,
  toJson,
} from './ingest-tally.ts';
import { noteSkipped } from './skipped-files.ts';
import { withClient } from './with-client.ts';

/** `citewell ingest`: ingests files, folders, globs and web pages; unchanged ones are skipped. */
export async function ingest(
  names: readonly string[],
  options: IngestOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const calledAt = performance.now();
  await requireAll(names);
  checkIngestOptions(options);
  if (options.watch === true) return (await import('./ingest-watch.ts')).watchFolders(names, options, context);
  if (options.dryRun === true) return (await import('./ingest-dry-run.ts')).listSources(names, options, context);
  context.interruption.finishFirst();
  const config = await context.config();
  const call = { names, options, calledAt, config, site: siteOf(options, names) };
  return withClient(context, (client) => ingestWith(client, call, context));
}

interface IngestCall {
  readonly names: readonly string[];
  readonly options: IngestOptions;
  /** When the command was called, by `performance.now()`. */
  readonly calledAt: number;
  readonly config: Config;
  readonly site: SiteScope | undefined;
}

async function ingestWith(client: Client, call: IngestCall, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  const { names, options, config } = call;
  const tally = emptyTally();
  const chosen = {
    metadata: options.metadata ?? {},
    collections: options.collection ?? [],
    dataFolder: config.dataDir,
    maxBytes: config.maxFileBytes,
    stop: interruption.stop,
    abandon: interruption.abandon,
  };
  if (options.enrich === true) {
    const { confirmEnrichment } = await import('./ingest-enriched.ts');
    const request = { names, options: chosen, isConfirmed: options.yes === true };
    if (!(await confirmEnrichment(client, request, context))) {
      output.note('Nothing was ingested.');
      return exitCodeOf(tally, interruption.received());
    }
  }
  const failure = await ingestNamed(client, call, { chosen, tally }, context);
  const isNew = tally.outcomes.ingested + tally.outcomes.replaced > 0;
  if (failure === undefined && isNew && interruption.received() === undefined && client.server === undefined) {
    await finishBackgroundWork(client, context);
  }
  // If a name is wrong and nothing was done before, its error says all.
  if (failure === undefined || options.json === true || !isEmpty(tally)) printSummary(tally, call, output);
  if (failure !== undefined && !interruption.abandon.aborted) throw failure.error;
  if (interruption.received() !== undefined) {
    output.note('Stopped. Run the same command again to continue: unchanged documents are skipped.');
  }
  return exitCodeOf(tally, interruption.received());
}

type Chosen = Pick<IngestAllOptions, 'metadata' | 'collections' | 'dataFolder' | 'maxBytes' | 'stop' | 'abandon'>;

/** Returns the failure that ended the work, because what was done before deserves a summary. */
async function ingestNamed(
  client: Client,
  { names, options, config, site }: IngestCall,
  { chosen, tally }: { readonly chosen: Chosen; readonly tally: Tally },
  context: CommandContext,
): Promise<{ readonly error: unknown } | undefined> {
  const { output, interruption } = context;
  const web = openWeb(options, config.web);
  const startedAt = performance.now();
  const view = progressView({ names, site, dataFolder: chosen.dataFolder, tally, startedAt }, context);
  const stopListening = onAbort(interruption.stop, view.stopping);
  try {
    const steps = ingestAll(names, {
      ...chosen,
      client: {
        ingest: (item, signal) => client.ingest(item, signal, (progress) => view.progress(item, progress)),
      },
      unchangedContents: client.unchangedContents,
      isEnriched: options.enrich === true,
      web,
      site,
    });
    for await (const step of steps) {
      record(step, tally);
      if (options.json && step.type !== 'started') output.print(JSON.stringify(toJson(step)));
      view.update(step);
    }
    return undefined;
  } catch (error) {
    return { error };
  } finally {
    stopListening();
    view.end();
    await Promise.all([web.fetcher.close(), web.siteReader.close()]);
  }
}

function openWeb({ allowPrivateAddresses: allowPrivate = false }: IngestOptions, settings: WebSettings) {
  const fetcher = createPageFetcher({
    rules: { ...publicOnly, open: settings.openHosts, allowPrivate },
    ...(settings.proxy && { proxy: settings.proxy }),
  });
  // A crawl requests pages nobody named, so it obeys the site's robots.txt.
  const crawlPolicy = createCrawlPolicy(fetcher, { ...defaultCrawlPolicy, obeysRobots: settings.obeysRobots });
  return { fetcher, crawlPolicy, siteReader: createPageReaders() };
}

function printSummary(tally: Tally, { options, calledAt }: IngestCall, output: CommandContext['output']): void {
  // The whole time the user waited, including startup and the background work that ingestion left behind.
  const seconds = (performance.now() - calledAt) / 1000;
  if (options.json) output.print(JSON.stringify(summaryJson(tally, seconds)));
  else output.print(summaryText(tally, seconds));
  noteFailures(tally.failures, output);
  if (!options.json) noteSkipped(tally.named, output);
}
