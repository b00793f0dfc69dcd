import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../documents/ids.ts';
import { ServiceError } from '../../errors.ts';
import { fileProblem } from '../../shared/file-problem.ts';
import type { RemoteNetwork, SourceConnector } from '../../sources/connector.ts';
import { sourceKind } from '../../sources/kinds.ts';
import type { McpServers } from '../../sources/mcp/mcp-servers.ts';
import type { FollowedSource, FollowedSourceRecords } from '../../store/followed-sources.ts';
import type { CollectionRecords } from '../../store/records.ts';
import type { SecretBox } from '../../store/secrets/secret-box.ts';
import type { UserRecords } from '../../store/user-records.ts';
import type { WebAccess } from '../../web/web.ts';
import type { FolderTarget } from '../folders/folder-target.ts';
import { type LocalTargetParts, localTarget } from '../folders/local-target.ts';
import type { IngestStep } from '../ingest-all.ts';
import { requireOwnerRights } from './require-owner-rights.ts';
import { documentsBelow, siteFolder } from './site-documents.ts';
import { openCredentials } from './source-credentials.ts';
import { createSyncTally, type SyncTally } from './sync-tally.ts';

/** `stopped`: the source cannot be followed; `problem` says why. */
export type SourceState = 'syncing' | 'following' | 'idle' | 'stopped';

/** A followed source and the state of the work on it in this process. */
export interface Followed {
  source: FollowedSource;
  state: SourceState;
  problem: string | undefined;
  tally: SyncTally | undefined;
  stop: AbortController;
  /** Settles when the current work on the source has ended. */
  over: Promise<void>;
  /** False until the record of the source is written. */
  isStored: boolean;
  isBeingFollowed: boolean;
  /** Whether the next synchronisation is due by schedule, rather than requested. */
  isScheduled: boolean;
}

export interface FollowerParts extends LocalTargetParts {
  readonly records: FollowedSourceRecords;
  readonly collections: Pick<CollectionRecords, 'get'>;
  readonly users: Pick<UserRecords, 'get'>;
  readonly allowedFolders: readonly string[];
  readonly dataFolder: string;
  /** Maximum size in bytes; larger files are not read. */
  readonly maxFileBytes?: number | undefined;
  /** Undefined without web access. */
  readonly web?: WebAccess | undefined;
  /** Network access for connectors; undefined without web access. */
  readonly network?: RemoteNetwork | undefined;
  /** MCP servers whose resources may be followed. */
  readonly mcp?: McpServers | undefined;
  /** Encrypts credentials; undefined if none can be stored. */
  readonly secrets?: SecretBox | undefined;
  readonly report: (message: string, cause: unknown) => void;
}

/** Pause before a folder that cannot be read, for example on an unmounted disk, is tried again. */
const RETRY_MS = 60_000;
/**
 * Interval at which a watched folder and the rights of its owner are checked. A folder that was moved or remounted must
 * be watched again, because the system still watches the old one.
 */
const CHECK_MS = 2_000;
const SAVE_MS = 2_000;

/** Starts to follow a source, until its `stop` or `closing` is aborted. */
export type Follow = (entry: Followed) => void;

export function createFollower(parts: FollowerParts, closing: AbortSignal): Follow {
  const { records, collections, users, allowedFolders, dataFolder, maxFileBytes: maxBytes, web, report } = parts;
  const { network, secrets } = parts;

  const begin = (entry: Followed): void => {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, closing]);
    entry.stop = stop;
    entry.state = 'syncing';
    entry.problem = undefined;
    entry.isBeingFollowed = true;
    entry.over = followByKind[entry.source.location.kind](entry, signal)
      .catch((error: unknown) => {
        entry.state = 'stopped';
        entry.problem = problemOf(error, entry.source);
        report('A followed source ended unexpectedly.', error);
      })
      .finally(() => {
        entry.isBeingFollowed = false;
      });
  };

  const newTally = (entry: Followed): SyncTally => {
    const tally = createSyncTally(async (counted) => {
      // Other servers learn of the problem only from this report.
      const lastSync = { ...counted, ...(entry.problem !== undefined && { problem: entry.problem }) };
      entry.source = { ...entry.source, lastSync };
      await records.saveReport(entry.source.id, lastSync);
    }, SAVE_MS);
    entry.tally = tally;
    return tally;
  };

  async function followFolder(entry: Followed, signal: AbortSignal): Promise<void> {
    const { location } = entry.source;
    if (location.kind !== 'folder') return;
    const { followFolders } = await import('../folders/follow-folders.ts');
    const { followableFolder, identityOf } = await import('../folders/followable-folder.ts');
    while (!signal.aborted) {
      const tally = newTally(entry);
      const replaced = new AbortController();
      let check: NodeJS.Timeout | undefined;
      try {
        await requireOwnerRights(entry.source, users);
        const path = await followableFolder(location.path, allowedFolders);
        if (path !== location.path)
          throw new ServiceError(
            'conflict',
            `${location.path} now resolves to ${path}. Remove this source and add it again.`,
          );
        void tally.count(path, dataFolder, signal);
        const watched = await identityOf(path);
        check = setInterval(async () => {
          const isAllowed = await requireOwnerRights(entry.source, users).then(
            () => true,
            () => false,
          );
          if (!isAllowed || (await identityOf(path)) !== watched) replaced.abort();
        }, CHECK_MS).unref();
        const over = AbortSignal.any([signal, replaced.signal]);
        await followFolders({
          client: targetOf(entry.source),
          roots: [path],
          dataFolder,
          metadata: {},
          collections: [],
          maxBytes,
          keepDeleted: location.keepDeleted,
          within: allowedFolders,
          stop: over,
          abandon: over,
          onStep: tally.add,
          onCaughtUp() {
            entry.state = 'following';
            entry.problem = undefined;
            tally.end();
          },
          onLost: ({ message }) => {
            entry.problem = message;
          },
        });
      } catch (error) {
        if (signal.aborted) break;
        entry.state = 'stopped';
        entry.problem = problemOf(error, entry.source);
      } finally {
        clearInterval(check);
      }
      await tally.save();
      if (replaced.signal.aborted) continue;
      await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
    await entry.tally?.save();
  }

  async function walkSite(entry: Followed, signal: AbortSignal): Promise<void> {
    const { location } = entry.source;
    if (location.kind !== 'site') return;
    const tally = newTally(entry);
    // Saved as unfinished, so that a walk that the end of the process interrupts is resumed.
    await tally.save();
    try {
      if (web === undefined) throw new ServiceError('not_configured', 'This service has no web access.');
      await requireOwnerRights(entry.source, users);
      const { ingestAll } = await import('../ingest-all.ts');
      const target = targetOf(entry.source);
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
        entry.state = 'stopped';
        entry.problem = problemOf(error, entry.source);
        tally.end();
      }
    }
    await tally.save();
  }

  async function followRemote(entry: Followed, signal: AbortSignal): Promise<void> {
    let isScheduled = entry.isScheduled;
    entry.isScheduled = false;
    if (isScheduled) await untilDue(entry, signal);
    while (!signal.aborted) {
      await syncOnce(entry, !isScheduled, signal);
      isScheduled = true;
      const { location } = entry.source;
      if (signal.aborted || location.kind !== 'remote' || location.everyMinutes === null) return;
      await sleep(location.everyMinutes * 60_000, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async function untilDue(entry: Followed, signal: AbortSignal): Promise<void> {
    const { location, lastSync } = entry.source;
    if (location.kind !== 'remote' || location.everyMinutes === null || !lastSync?.endedAt) return;
    entry.state = lastSync.problem === undefined ? 'idle' : 'stopped';
    entry.problem = lastSync.problem;
    const wait = Date.parse(lastSync.endedAt) + location.everyMinutes * 60_000 - Date.now();
    if (wait > 0) await sleep(wait, undefined, { signal, ref: false }).catch(() => undefined);
  }

  async function syncOnce(entry: Followed, isFull: boolean, signal: AbortSignal): Promise<void> {
    const { id, location } = entry.source;
    if (location.kind !== 'remote') return;
    entry.state = 'syncing';
    entry.problem = undefined;
    const tally = newTally(entry);
    await tally.save();
    let connector: SourceConnector | undefined;
    try {
      if (network === undefined) throw new ServiceError('not_configured', 'This service has no web access.');
      await requireOwnerRights(entry.source, users);
      const given = await openCredentials(secrets, entry.source);
      const kind = sourceKind(location.type);
      connector = await kind.open(location.settings as never, given as never, { network, mcp: parts.mcp });
      const { syncRemote } = await import('./sync-remote.ts');
      const { isNamedLikeSupported, maxBytesByName } = await import('../folders/supported-files.ts');
      for await (const step of syncRemote({
        id,
        pass: newId(),
        connector,
        records,
        target: targetOf(entry.source),
        isFull,
        signal,
        keepDeleted: location.keepDeleted,
        maxBytesOf: maxBytes === undefined ? maxBytesByName : () => maxBytes,
        isSupported: isNamedLikeSupported,
      })) {
        if (step.outcome === 'kept') entry.problem = step.reason;
        tally.addRemote(step);
      }
      tally.end();
      entry.state = 'idle';
    } catch (error) {
      if (!signal.aborted) {
        entry.state = 'stopped';
        entry.problem = problemOf(error, entry.source);
        if (!(error instanceof ServiceError)) report(`The source ${location.address} could not be followed.`, error);
        tally.end();
      }
    } finally {
      await connector?.close?.().catch(() => undefined);
    }
    await tally.save();
  }

  const followByKind = { folder: followFolder, site: walkSite, remote: followRemote } as const;

  const targetOf = ({ ownerId, collectionIds }: FollowedSource): FolderTarget =>
    localTarget(
      {
        userId: ownerId,
        // Omits collections that were deleted meanwhile.
        async collectionIds() {
          const found = await Promise.all(collectionIds.map((id) => collections.get(id)));
          return found.flatMap((collection) => collection?.id ?? []);
        },
      },
      parts,
    );

  return begin;
}

const problemOf = (error: unknown, { location: { kind } }: FollowedSource): string =>
  error instanceof ServiceError
    ? error.message
    : `The ${kind === 'remote' ? 'source' : kind} cannot be read: ${fileProblem(error)}.`;
