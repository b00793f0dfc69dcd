import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { isUrl } from '../ingest/find-sources.ts';
import { kindOfAddress } from '../sources/kinds.ts';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { table, visibleLine } from './layout.ts';
import { count, type Progress, progressLine } from './progress-line.ts';
import { newCredentials, readChange, readSource, type SourceOptions } from './source-options.ts';
import { sourceRow } from './source-rows.ts';
import type { SourceRecord } from './sources-client.ts';
import { withClient, withoutEmbedding } from './with-client.ts';

interface OutputOptions {
  readonly json?: boolean;
}

interface AddOptions extends OutputOptions, SourceOptions {
  readonly wait: boolean;
}

interface ChangeOptions extends AddOptions {
  readonly credentials?: boolean;
  readonly check: boolean;
}

const POLL_MS = 500;

/** `citewell sources list` */
export function listSources({ json }: OutputOptions, context: CommandContext): Promise<ExitCode> {
  const { output } = context;
  return withoutEmbedding(context, async (client) => {
    const sources = await client.sources.list();
    if (json) output.print(JSON.stringify(sources));
    else for (const line of table(sources.map(sourceRow))) output.print(line);
    if (!json) for (const source of sources) noteFailures(source, context);
    if (!json && sources.length === 0) output.note('No source is followed. "citewell sources add" follows one.');
    return exitCodes.ok;
  });
}

/** `citewell sources show` */
export function showSource(place: string, { json }: OutputOptions, context: CommandContext): Promise<ExitCode> {
  const { output } = context;
  return withoutEmbedding(context, async (client) => {
    const source = await client.sources.get((await findSource(client, place)).id);
    if (json) output.print(JSON.stringify(source));
    else {
      for (const line of table([sourceRow(source)])) output.print(line);
      noteFailures(source, context);
    }
    return exitCodes.ok;
  });
}

/** Notes how many items failed and will be retried. */
function noteFailures({ location, failed_items: failed }: SourceRecord, { output }: CommandContext): void {
  if (failed === null || failed.count === 0) return;
  const number = failed.count === 1 ? '1 item fails' : `${count(failed.count)} items fail`;
  output.note(`${visibleLine(location)}: ${number}, and will be retried.`);
  for (const { name, reason, tries, next_try_at: next } of failed.items) {
    const tried = `tried ${tries === 1 ? 'once' : `${count(tries)} times`}, again from ${next.slice(0, 16).replace('T', ' ')} UTC`;
    output.note(`  ${visibleLine(name)}: ${visibleLine(reason)} (${tried})`);
  }
  if (failed.count > failed.items.length) output.note(`  … and ${count(failed.count - failed.items.length)} more`);
}

/** `citewell sources add`: a folder, a site, or the address of a source of another kind. */
export function addSource(place: string, options: AddOptions, context: CommandContext): Promise<ExitCode> {
  const source = readSource(place, options);
  const { collection: collections = [] } = options;
  return withClient(context, async (client) =>
    finish(client, await client.sources.add({ ...source, collections }), options, context),
  );
}

/** `citewell sources change` */
export function changeSource(place: string, options: ChangeOptions, context: CommandContext): Promise<ExitCode> {
  const { sitemap, crawlDepth, maxPages, keepDeleted, collection, every, schedule, set, check } = options;
  return withClient(context, async (client) => {
    const { id, kind: type, location } = await findSource(client, place);
    const kind = kindOfAddress(location);
    if (kind === undefined && (set !== undefined || options.credentials === true)) {
      throw new ServiceError('invalid_request', `A ${type} has no credentials and no settings of that kind.`);
    }
    const change = {
      ...(kind !== undefined && set && { settings: Object.fromEntries(set.map((each) => readChange(kind, each))) }),
      ...(kind !== undefined && options.credentials === true && { credentials: newCredentials(kind) }),
      ...(sitemap !== undefined && { sitemap }),
      ...(crawlDepth !== undefined && { crawl_depth: crawlDepth }),
      ...(maxPages !== undefined && { max_pages: maxPages }),
      ...(keepDeleted !== undefined && { keep_deleted: keepDeleted }),
      ...(every !== undefined && { every_minutes: every }),
      ...(!schedule && { every_minutes: null }),
      ...(collection !== undefined && { collections: collection }),
    };
    if (Object.keys(change).length === 0) {
      throw new ServiceError(
        'invalid_request',
        'No change was given. "citewell sources change --help" shows what can be changed.',
      );
    }
    const changed = await client.sources.change(id, { ...change, ...(!check && { check }) });
    return finish(client, changed, options, context);
  });
}

/** `citewell sources sync` */
export function syncSource(
  place: string,
  options: OutputOptions & { readonly wait: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  return withClient(context, async (client) => {
    const { id } = await findSource(client, place);
    return finish(client, await client.sources.sync(id), options, context);
  });
}

/** `citewell sources remove`: keeps the documents. */
export function removeSource(place: string, { json }: OutputOptions, context: CommandContext): Promise<ExitCode> {
  return withoutEmbedding(context, async (client) => {
    const source = await findSource(client, place);
    await client.sources.remove(source.id);
    context.output.print(
      json
        ? JSON.stringify(source)
        : `${visibleLine(source.location)} is no longer followed. Its documents stay; "citewell documents delete" deletes them.`,
    );
    return exitCodes.ok;
  });
}

/** Waits for the synchronisation, unless told otherwise, and reports its outcome. */
async function finish(
  client: Client,
  started: SourceRecord,
  { json, wait }: OutputOptions & { readonly wait: boolean },
  { output, interruption }: CommandContext,
): Promise<ExitCode> {
  let source = started;
  const startedAt = performance.now();
  // Without a lasting server, this process does the work.
  while ((wait || client.server === undefined) && source.state === 'syncing' && !interruption.stop.aborted) {
    await sleep(POLL_MS, undefined, { signal: interruption.stop }).catch(() => undefined);
    source = await client.sources.get(source.id);
    if (!json) output.status(progressLine(progressOf(source, startedAt), output.width));
  }
  output.status('');
  if (json) output.print(JSON.stringify(source));
  else {
    for (const line of table([sourceRow(source)])) output.print(line);
    for (const { name, reason } of source.last_sync?.failures ?? []) {
      output.note(`  ${visibleLine(name)}: ${visibleLine(reason)}`);
    }
  }
  if (client.server === undefined && source.kind === 'folder') {
    output.note('Changes are followed while "citewell serve" or "citewell mcp" runs.');
  }
  const counts = source.last_sync?.counts ?? {};
  if (source.state === 'stopped') return exitCodes.failure;
  return (counts['failed'] ?? 0) > 0 && source.state !== 'syncing' ? exitCodes.partly : exitCodes.ok;
}

function progressOf({ last_sync: sync, total, listed }: SourceRecord, startedAt: number): Progress {
  const { failed = 0, unchanged = 0, skipped = 0, ...others } = sync?.counts ?? {};
  return {
    done: Object.values(others).reduce((sum, each) => sum + each, failed + unchanged + skipped),
    total: total ?? undefined,
    listed: listed ?? undefined,
    failed,
    skipped,
    present: unchanged,
    elapsedSeconds: (performance.now() - startedAt) / 1000,
    unit: 'items',
  };
}

/** Finds a source by its folder or URL, or by the beginning of its identifier. */
async function findSource(client: Client, place: string): Promise<SourceRecord> {
  const all = await client.sources.list();
  const location = isUrl(place) || kindOfAddress(place) !== undefined ? place : resolve(place);
  const named = all.filter((source) => source.location === location || source.location === place);
  const found = named.length > 0 ? named : all.filter(({ id }) => id.startsWith(place.toLowerCase()));
  const [source, other] = found;
  if (source !== undefined && other === undefined) return source;
  throw new ServiceError(
    source === undefined ? 'not_found' : 'invalid_request',
    source === undefined
      ? `No followed source is "${place}". "citewell sources list" shows them.`
      : `"${place}" matches the beginning of several identifiers: ${found.map(({ id }) => id).join(', ')}.`,
  );
}
