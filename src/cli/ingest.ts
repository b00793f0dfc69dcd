import { ingestAll } from '../ingest/ingest-all.ts';
import { createPageReaders } from '../ingest/page-readers.ts';
import { onAbort } from '../shared/abort.ts';
import { publicOnly } from '../web/address-rules.ts';
import { createCrawlPolicy, defaultCrawlPolicy } from '../web/crawl-policy.ts';
import { createPageFetcher } from '../web/page-fetcher.ts';
import type { CommandContext } from './command-context.ts';
import type { ExitCode } from './exit-codes.ts';
import { finishBackgroundWork } from './finish-background-work.ts';
import { checkIngestOptions, type IngestOptions, requireAll, siteOf } from './ingest-options.ts';
import { progressView } from './ingest-progress.ts';
import { emptyTally, exitCodeOf, noteFailures, record, summaryJson, summaryText, toJson } from './ingest-tally.ts';
import { visible, visibleLine } from './layout.ts';
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
  const { output, interruption } = context;
  interruption.finishFirst();
  const { dataDir: dataFolder, web: settings, maxFileBytes: maxBytes } = await context.config();
  const site = siteOf(options, names);
  const allowPrivate = options.allowPrivateAddresses === true;
  const fetcher = createPageFetcher({
    rules: { ...publicOnly, open: settings.openHosts, allowPrivate },
    ...(settings.proxy && { proxy: settings.proxy }),
  });
  // A crawl requests pages nobody named, so it obeys the site's robots.txt.
  const crawlPolicy = createCrawlPolicy(fetcher, { ...defaultCrawlPolicy, obeysRobots: settings.obeysRobots });
  const siteReader = createPageReaders();
  return withClient(context, async (client) => {
    const tally = emptyTally();
    const isEnriched = options.enrich === true;
    const chosen = {
      metadata: options.metadata ?? {},
      collections: options.collection ?? [],
      dataFolder,
      maxBytes,
      stop: interruption.stop,
      abandon: interruption.abandon,
    };
    if (isEnriched) {
      const { confirmEnrichment } = await import('./ingest-enriched.ts');
      const isConfirmed = await confirmEnrichment(
        client,
        { names, options: chosen, isConfirmed: options.yes === true },
        context,
      );
      if (!isConfirmed) {
        await fetcher.close();
        output.note('Nothing was ingested.');
        return exitCodeOf(tally, interruption.received());
      }
    }
    const startedAt = performance.now();
    const view = progressView({ names, site, dataFolder, tally, startedAt }, context);
    const stopListening = onAbort(interruption.stop, view.stopping);
    let failure: unknown;
    try {
      const steps = ingestAll(names, {
        ...chosen,
        client: {
          ingest: (item, signal) => client.ingest(item, signal, (progress) => view.progress(item, progress)),
        },
        isEnriched,
        web: { fetcher, crawlPolicy, siteReader },
        site,
      });
      for await (const step of steps) {
        record(step, tally);
        if (options.json && step.type !== 'started') output.print(JSON.stringify(toJson(step)));
        if (step.type === 'result' && step.outcome === 'failed') {
          output.note(`${output.noteStyle('red', 'failed')} ${visibleLine(step.name)}: ${visible(step.reason ?? '')}`);
        }
        view.update(step);
      }
    } catch (error) {
      // The work done so far still deserves a summary.
      failure = error;
    } finally {
      stopListening();
      view.end();
      await Promise.all([fetcher.close(), siteReader.close()]);
    }
    const isNew = tally.outcomes.ingested + tally.outcomes.replaced > 0;
    const isStopped = interruption.received() !== undefined;
    if (failure === undefined && isNew && !isStopped && client.server === undefined) {
      await finishBackgroundWork(client, context);
    }
    // The whole time the user waited, including startup and the background work that ingestion left behind.
    const seconds = (performance.now() - calledAt) / 1000;
    if (options.json) output.print(JSON.stringify(summaryJson(tally, seconds)));
    else {
      output.print(summaryText(tally, seconds));
      noteFailures(tally, output);
      noteSkipped(tally.named, output);
    }
    if (failure !== undefined && !interruption.abandon.aborted) throw failure;
    if (interruption.received() !== undefined) {
      output.note('Stopped. Run the same command again to continue: unchanged documents are skipped.');
    }
    return exitCodeOf(tally, interruption.received());
  });
}
