import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '../../access/principal.ts';
import { newId } from '../../documents/ids.ts';
import { ServiceError } from '../../errors.ts';
import { fileProblem } from '../../shared/file-problem.ts';
import type { FollowedSource, FollowedSourceRecords, SourceLocation } from '../../store/followed-sources.ts';
import type { CollectionRecords } from '../../store/records.ts';
import type { UserRecords } from '../../store/user-records.ts';
import type { WebAccess } from '../../web/web.ts';
import type { FolderTarget } from '../folders/folder-target.ts';
import { type LocalTargetParts, localTarget } from '../folders/local-target.ts';
import type { IngestStep } from '../ingest-all.ts';
import { requireOwnerRights } from './require-owner-rights.ts';
import { documentsBelow, siteFolder } from './site-documents.ts';
import { createSyncTally, type SyncTally } from './sync-tally.ts';

/** `stopped`: it cannot be followed; `problem` says why. */
export type SourceState = 'syncing' | 'following' | 'idle' | 'stopped';

export interface SourceStatus extends FollowedSource {
  readonly state: SourceState;
  readonly problem?: string;
  /** Files found so far or in total, while a folder is read for the first time. */
  readonly total?: number;
}

/** Keeps documents in step with folders and sites while the service runs. */
export interface SourceService {
  /** Folders below which others may be followed; absolute paths. */
  readonly allowedFolders: readonly string[];
  /** Follows what was followed when the service last ran. */
  start(): void;
  list(): Promise<readonly SourceStatus[]>;
  /** Throws `forbidden` for a folder that is not allowed, `conflict` for one that is followed already. */
  add(
    location: SourceLocation,
    owner: Pick<Principal, 'userId'>,
    collectionIds: readonly string[],
  ): Promise<SourceStatus>;
  /** Begins a full synchronisation. */
  sync(id: string): Promise<SourceStatus>;
  /** Ends following; the documents stay. */
  remove(id: string): Promise<void>;
  removeOfOwner(ownerId: string): Promise<void>;
  close(): Promise<void>;
}

export interface SourceServiceParts extends LocalTargetParts {
  readonly records: FollowedSourceRecords;
  readonly collections: Pick<CollectionRecords, 'get'>;
  readonly users: Pick<UserRecords, 'get'>;
  readonly allowedFolders: readonly string[];
  readonly dataFolder: string;
  /** Largest file that is read at all. */
  readonly maxFileBytes?: number | undefined;
  /** Undefined without web access. */
  readonly web?: WebAccess | undefined;
  readonly report: (message: string, cause: unknown) => void;
}

interface Followed {
  source: FollowedSource;
  state: SourceState;
  problem: string | undefined;
  tally: SyncTally | undefined;
  stop: AbortController;
  /** Settles when the work on it has ended. */
  over: Promise<void>;
}

const MAX_PER_OWNER = 100;
/** A folder that cannot be read, as when a disk is not mounted, is tried again. */
const RETRY_MS = 60_000;
/**
 * A folder that was moved, or mounted anew, must be watched anew: the system watches what was there before. Its owner may
 * have lost their rights meanwhile.
 */
const CHECK_MS = 2_000;
const SAVE_MS = 2_000;

export function createSourceService(parts: SourceServiceParts): SourceService {
  const { records, collections, users, allowedFolders, dataFolder, maxFileBytes: maxBytes, web, report } = parts;
  const followed = new Map<string, Followed>();
  const closing = new AbortController();
  let loading: Promise<void> | undefined;

  const load = (): Promise<void> => {
    loading ??= records.list().then((sources) => {
      for (const source of sources) {
        followed.set(source.id, {
          source,
          state: 'idle',
          problem: undefined,
          tally: undefined,
          stop: new AbortController(),
          over: Promise.resolve(),
        });
      }
    });
    return loading;
  };

  const begin = (entry: Followed): void => {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, closing.signal]);
    entry.stop = stop;
    entry.state = 'syncing';
    entry.problem = undefined;
    entry.over = (
      entry.source.location.kind === 'folder' ? followFolder(entry, signal) : walkSite(entry, signal)
    ).catch((error: unknown) => {
      entry.state = 'stopped';
      entry.problem = problemOf(error);
      report('A followed source ended unexpectedly.', error);
    });
  };

  const newTally = (entry: Followed): SyncTally => {
    const tally = createSyncTally(async (report) => {
      entry.source = { ...entry.source, lastSync: report };
      await records.saveReport(entry.source.id, report);
    }, SAVE_MS);
    entry.tally = tally;
    return tally;
  };

  async function followFolder(entry: Followed, signal: AbortSignal): Promise<void> {
    const { location } = entry.source;
    if (location.kind !== 'folder') return;
    const { followFolders } = await import('../folders/follow-folders.ts');
    const { identityOf } = await import('../folders/followable-folder.ts');
    while (!signal.aborted) {
      const tally = newTally(entry);
      const replaced = new AbortController();
      let check: NodeJS.Timeout | undefined;
      try {
        await requireOwnerRights(entry.source, users);
        const path = await requireFolder(location.path);
        if (path !== location.path)
          throw new ServiceError('conflict', `${location.path} now leads to ${path}. Remove it here and add it again.`);
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
          ...{ client: targetOf(entry.source), roots: [path], dataFolder, metadata: {}, collections: [] },
          ...{ maxBytes, keepDeleted: location.keepDeleted, within: allowedFolders, stop: over, abandon: over },
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
        entry.problem = problemOf(error);
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
    // A walk that the end of the process interrupts is taken up again.
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
      // Pages of earlier walks that nothing leads to any more are looked at once each: they may be gone, or only hidden.
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
        entry.problem = problemOf(error);
        tally.end();
      }
    }
    await tally.save();
  }

  const targetOf = ({ ownerId, collectionIds }: FollowedSource): FolderTarget =>
    localTarget(
      {
        userId: ownerId,
        // One that was deleted meanwhile is left out.
        async collectionIds() {
          const found = await Promise.all(collectionIds.map((id) => collections.get(id)));
          return found.flatMap((collection) => collection?.id ?? []);
        },
      },
      parts,
    );

  const requireFolder = async (path: string): Promise<string> =>
    (await import('../folders/followable-folder.ts')).followableFolder(path, allowedFolders);

  function requireFree(location: SourceLocation, ownerId: string, overlap: (one: string, other: string) => boolean) {
    const own = [...followed.values()].filter(({ source }) => source.ownerId === ownerId);
    if (own.length >= MAX_PER_OWNER) {
      throw new ServiceError(
        'conflict',
        `At most ${MAX_PER_OWNER} folders and sites are followed for one user. Remove some first.`,
      );
    }
    const other = own.find(({ source: { location: there } }) =>
      there.kind === 'folder'
        ? location.kind === 'folder' && overlap(there.path, location.path)
        : location.kind === 'site' && there.url === location.url,
    );
    if (other === undefined) return;
    const { location: there } = other.source;
    const name = there.kind === 'folder' ? there.path : there.url;
    throw new ServiceError('conflict', `${name} is followed already. Remove it first, or synchronise it.`);
  }

  const find = async (id: string): Promise<Followed> => {
    await load();
    const entry = followed.get(id.toLowerCase());
    if (entry === undefined) throw new ServiceError('not_found', `There is no followed source ${id}.`);
    return entry;
  };

  const removeEntry = async (entry: Followed): Promise<void> => {
    followed.delete(entry.source.id);
    entry.stop.abort();
    await records.remove(entry.source.id);
    await entry.over;
  };

  return {
    allowedFolders,
    start() {
      load().then(
        () => {
          for (const entry of followed.values()) {
            // A walk of a site is taken up again only if a stop of the service interrupted it.
            const { location, lastSync } = entry.source;
            if (location.kind === 'folder' || lastSync?.endedAt === null) begin(entry);
          }
        },
        (error: unknown) => report('The followed sources could not be read.', error),
      );
    },
    async list() {
      await load();
      return [...followed.values()].map(statusOf);
    },
    async add(given, { userId }, collectionIds) {
      await load();
      const location = given.kind === 'folder' ? { ...given, path: await requireFolder(given.path) } : given;
      const { overlap } = await import('../folders/followable-folder.ts');
      // Nothing is awaited between this check and the entry, so that two requests at once do not both pass.
      requireFree(location, userId, overlap);
      const lastSync = null;
      const source = {
        ...{ id: newId(), ownerId: userId, location, collectionIds, lastSync },
        createdAt: new Date().toISOString(),
      };
      const entry: Followed = {
        source,
        state: 'syncing',
        problem: undefined,
        tally: undefined,
        stop: new AbortController(),
        over: Promise.resolve(),
      };
      followed.set(source.id, entry);
      try {
        await records.add(source);
      } catch (error) {
        followed.delete(source.id);
        throw error;
      }
      begin(entry);
      return statusOf(entry);
    },
    async sync(id) {
      const entry = await find(id);
      if (entry.state !== 'syncing') {
        entry.stop.abort();
        await entry.over;
        // Two requests at once begin one synchronisation.
        if (followed.has(entry.source.id) && entry.stop.signal.aborted) begin(entry);
      }
      return statusOf(entry);
    },
    remove: async (id) => removeEntry(await find(id)),
    async removeOfOwner(ownerId) {
      await load();
      for (const entry of [...followed.values()]) if (entry.source.ownerId === ownerId) await removeEntry(entry);
    },
    async close() {
      closing.abort();
      await Promise.all([...followed.values()].map(({ over }) => over));
    },
  };
}

const problemOf = (error: unknown): string =>
  error instanceof ServiceError ? error.message : `The folder cannot be read: ${fileProblem(error)}.`;

function statusOf({ source, state, problem, tally }: Followed): SourceStatus {
  const total = tally?.total();
  return {
    ...source,
    lastSync: tally?.report() ?? source.lastSync,
    state,
    ...(problem !== undefined && { problem }),
    ...(state === 'syncing' && total !== undefined && { total }),
  };
}
