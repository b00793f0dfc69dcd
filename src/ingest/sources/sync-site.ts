import { ServiceError } from '../../errors.ts';
import type { FollowedSourceRecords } from '../../store/followed-sources.ts';
import type { UserRecords } from '../../store/user-records.ts';
import type { WebAccess } from '../../web/web.ts';
import type { IngestStep } from '../ingest-all.ts';
import { type Followed, markStopped, startTally } from './followed.ts';
import { requireOwnerRights } from './require-owner-rights.ts';
import { documentsBelow, siteFolder } from './site-documents.ts';
import { type SourceTargetParts, sourceTarget } from './source-target.ts';

export interface SyncSiteParts extends SourceTargetParts {
  readonly records: Pick<FollowedSourceRecords, 'saveReport'>;
  readonly users: Pick<UserRecords, 'get'>;
  readonly dataFolder: string;
  /** Undefined without web access. */
  readonly web?: WebAccess | undefined;
}

/** Ingests the pages of a site, and fetches the pages of earlier synchronisations that are no longer linked. */
export async function syncSite(entry: Followed, parts: SyncSiteParts, signal: AbortSignal): Promise<void> {
  const { location } = entry.source;
  if (location.kind !== 'site') return;
  const { records, users, dataFolder, web } = parts;
  const tally = startTally(entry, records);
  // Saved as unfinished, so that a walk that the end of the process interrupts is resumed.
  await tally.save();
  try {
    if (web === undefined) throw new ServiceError('not_configured', 'This service has no web access.');
    await requireOwnerRights(entry.source, users);
    const { ingestAll } = await import('../ingest-all.ts');
    const target = sourceTarget(entry.source, parts);
    const shared = { client: target, metadata: {}, collections: [], dataFolder, web, stop: signal, abandon: signal };
    const site = { kind: location.walk, depth: location.depth, limit: location.limit };
    const seen = new Set<string>();
    const note = async (step: IngestStep): Promise<void> => {
      if (step.type !== 'result') return;
      const source = new URL(step.name).href;
      seen.add(source);
      const known = step.isGone === true ? await target.documentOf(source) : undefined;
      if (known === undefined) tally.addPage(step);
      else tally.addGonePage(step.name, known.id);
    };
    for await (const step of ingestAll([location.url], { ...shared, site })) await note(step);
    // Pages of earlier walks that are no longer linked are fetched once each: they may be gone, or merely unlinked.
    const others = (await documentsBelow(siteFolder(location), target, signal)).filter((source) => !seen.has(source));
    const once = { kind: 'crawl', depth: 0, limit: 1 } as const;
    const left = others.slice(0, location.limit);
    for await (const step of ingestAll(left, { ...shared, site: once })) {
      if (step.type === 'result' && step.outcome !== 'unchanged') await note(step);
    }
    if (!signal.aborted) tally.end();
    entry.state = 'idle';
  } catch (error) {
    if (!signal.aborted) {
      markStopped(entry, error);
      tally.end();
    }
  }
  await tally.save();
}
