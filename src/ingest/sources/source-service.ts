import type { Principal } from '../../access/principal.ts';
import { newId } from '../../documents/ids.ts';
import type { Secrets } from '../../sources/fields.ts';
import { sourceKind } from '../../sources/kinds.ts';
import type { FollowedSource, SourceLocation } from '../../store/followed-sources.ts';
import type { OtherServers } from '../../store/other-servers.ts';
import { changedLocation, needsNewSync, requireCredentials, type SourceChange } from './change-source.ts';
import { createFollower, type FollowerParts } from './follow-source.ts';
import type { Followed } from './followed.ts';
import { createFollowedRegistry, notFollowed } from './followed-registry.ts';
import { requireFree } from './require-free.ts';
import { openCredentials, sealCredentials } from './source-credentials.ts';
import { type SourceFailures, type SourceStatus, stateOnOtherServer, statusOf } from './source-status.ts';
import { tryChange, tryNewSource } from './try-source.ts';

/** Keeps documents in step with folders and sites while the service runs. */
export interface SourceService {
  /** Absolute paths of the folders that may be followed, together with everything below them. */
  readonly allowedFolders: readonly string[];
  /** Resumes following the stored sources. */
  start(): void;
  /** Stops following, because another server takes over, until the next `start`. */
  pause(): void;
  /**
   * Reloads the sources that another server has added or removed. If `asked` names a source that this server follows,
   * also starts a synchronisation (`sync`) or applies its changed settings (`taken_up`).
   */
  changedElsewhere(request?: { readonly kind: string; readonly id: string }): Promise<void>;
  list(): Promise<readonly SourceStatus[]>;
  /** Items of a source that could not be ingested and are retried. */
  failuresOf(source: SourceStatus, limit: number): Promise<SourceFailures>;
  /**
   * Throws `forbidden` for a folder that is not allowed, `conflict` for a source that is already followed, and with
   * `isTried` the error with which the source cannot be read. Nothing is stored then.
   */
  add(source: AddedSource): Promise<SourceStatus>;
  /**
   * Changes how a source is followed and keeps the state of its items. With `isTried`, new credentials and settings are
   * tested against the source first. A change of what is read starts a synchronisation. Throws `invalid_request` for a
   * field that cannot be changed, or if the source refuses access.
   */
  change(id: string, change: SourceChange, options: { readonly isTried: boolean }): Promise<SourceStatus>;
  /** Starts a full synchronisation. */
  sync(id: string): Promise<SourceStatus>;
  /** Stops following the source; its documents are kept. */
  remove(id: string): Promise<void>;
  removeOfOwner(ownerId: string): Promise<void>;
  close(): Promise<void>;
}

export interface AddedSource {
  readonly location: SourceLocation;
  readonly owner: Pick<Principal, 'userId'>;
  /** The collections of its documents, which this may create: called when nothing else refuses the source. */
  collectionIds(): Promise<readonly string[]>;
  /** Credentials for a remote source. */
  readonly credentials?: Secrets | undefined;
  /** Whether a site or a remote source is read once before it is added. */
  readonly isTried: boolean;
}

export interface SourceServiceParts extends FollowerParts {
  /** Servers that share the database; only the one on which `start` was called follows the sources. */
  readonly others?: Pick<OtherServers, 'announce' | 'runExclusively'> | undefined;
}

export function createSourceService(parts: SourceServiceParts): SourceService {
  const { records, allowedFolders, others, report } = parts;
  const closing = new AbortController();
  const follow = createFollower(parts, closing.signal);
  const registry = createFollowedRegistry({ records, follow, isShared: others !== undefined });

  const requireFolder = async (path: string): Promise<string> =>
    (await import('../folders/followable-folder.ts')).followableFolder(path, allowedFolders);

  async function add({ location: given, isTried, ...source }: AddedSource): Promise<SourceStatus> {
    const location = given.kind === 'folder' ? { ...given, path: await requireFolder(given.path) } : given;
    const { credentials = {}, owner } = source;
    if (location.kind === 'remote') {
      sourceKind(location.type).requireKnown?.(location.settings as never, parts);
      await requireCredentials(location, credentials, parts);
    }
    if (isTried && location.kind !== 'folder') {
      await registry.load();
      const { overlap } = await import('../folders/followable-folder.ts');
      requireFree(location, registry.locationsOf(owner.userId), overlap);
      await tryNewSource(location, credentials, parts, closing.signal);
    }
    return runExclusively(`sources of ${owner.userId}`, () => addTried({ ...source, location }));
  }

  async function addTried({
    location,
    owner,
    collectionIds: ensureCollections,
    credentials: secrets,
  }: Omit<AddedSource, 'isTried'>): Promise<SourceStatus> {
    await registry.load();
    const { overlap } = await import('../folders/followable-folder.ts');
    const id = newId();
    const credentials = await sealCredentials(parts.secrets, secrets, id);
    requireFree(location, registry.locationsOf(owner.userId), overlap);
    const collectionIds = await ensureCollections();
    // No await between this check and `registry.add`, so that two concurrent requests cannot both pass it.
    requireFree(location, registry.locationsOf(owner.userId), overlap);
    const entry = await registry.add({
      id,
      ownerId: owner.userId,
      location,
      collectionIds,
      lastSync: null,
      ...(credentials !== undefined && { credentials }),
      createdAt: new Date().toISOString(),
    });
    return statusHere(entry);
  }

  async function sync(id: string): Promise<SourceStatus> {
    const entry = await registry.find(id);
    if (!registry.isFollowing()) {
      await others?.announce({ topic: 'followed_sources', kind: 'sync', id: entry.source.id });
    } else if (!entry.isBeingFollowed || entry.state !== 'syncing') {
      entry.stop.abort();
      await entry.over;
      // Of two concurrent requests, only one starts a synchronisation.
      if (registry.get(entry.source.id) !== undefined && entry.stop.signal.aborted) registry.follow(entry);
    }
    return statusHere(entry);
  }

  const runExclusively = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    others === undefined ? work() : others.runExclusively(name, work);

  async function change(...[id, change, { isTried }]: Parameters<SourceService['change']>): Promise<SourceStatus> {
    const entry = await registry.find(id);
    const before = entry.source;
    const location = changedLocation(before.location, change);
    const changesAccess = change.credentials !== undefined || change.settings !== undefined;
    if (isTried && changesAccess && location.kind === 'remote') {
      await tryChange(
        location,
        change.credentials ?? (await openCredentials(parts.secrets, before)),
        parts,
        closing.signal,
      );
    }
    const credentials = await sealCredentials(parts.secrets, change.credentials, before.id);
    return runExclusively(`source ${before.id}`, async () => {
      const collectionIds = await change.collectionIds?.();
      const stored = await storedOf(before.id);
      const source = { ...entry.source, ...stored };
      await store(entry, source, {
        ...source,
        location: changedLocation(source.location, change),
        collectionIds: collectionIds ?? source.collectionIds,
        credentials: change.credentials === undefined ? source.credentials : credentials,
      });
      if (!registry.has(entry)) throw notFollowed(id);
      if (registry.isFollowing()) await applyChange(entry, source);
      else await others?.announce({ topic: 'followed_sources', kind: 'taken_up', id: source.id });
      return statusHere(entry);
    });
  }

  /** Stores a changed source. If this fails, the entry gets its earlier source again. */
  async function store(entry: Followed, before: FollowedSource, changed: FollowedSource): Promise<void> {
    // Assigned before the next await, so that concurrent requests do not undo each other's changes.
    entry.source = changed;
    try {
      await records.change(changed);
    } catch (error) {
      if (entry.source === changed) entry.source = before;
      throw error;
    }
  }

  /** The stored fields that another server may have changed; empty if there are no others. Throws `not_found`. */
  async function storedOf(id: string): Promise<Partial<FollowedSource>> {
    if (others === undefined) return {};
    const stored = (await records.list()).find((source) => source.id === id);
    if (stored === undefined) throw notFollowed(id);
    const { location, collectionIds, credentials } = stored;
    return { location, collectionIds, credentials };
  }

  /** Applies a changed source: restarts a running synchronisation, or starts one if the change requires it. */
  async function applyChange(entry: Followed, before: FollowedSource): Promise<void> {
    const isNeeded = (entry.isBeingFollowed && entry.state === 'syncing') || needsNewSync(before, entry.source);
    entry.stop.abort();
    await entry.over;
    // Removed meanwhile, or restarted by another request.
    if (!registry.has(entry) || !entry.stop.signal.aborted) return;
    if (isNeeded) registry.follow(entry);
    else registry.resume(entry);
  }

  const statusHere = (entry: Followed): SourceStatus =>
    registry.isFollowing() ? statusOf(entry) : { ...entry.source, ...stateOnOtherServer(entry.source) };

  return {
    allowedFolders,
    start() {
      registry.start().catch((error: unknown) => report('The followed sources could not be read.', error));
    },
    pause: registry.pause,
    async changedElsewhere(request) {
      await registry.load();
      const entry = request === undefined || !registry.isFollowing() ? undefined : registry.get(request.id);
      if (entry === undefined) return;
      if (request?.kind === 'sync') await sync(entry.source.id);
      else {
        const before = entry.source;
        entry.source = { ...before, ...(await storedOf(before.id)) };
        await applyChange(entry, before);
      }
    },
    async list() {
      await registry.load();
      return registry.entries().map(statusHere);
    },
    failuresOf: ({ id, location }, limit) =>
      location.kind === 'remote' ? records.latestFailures(id, limit) : Promise.resolve({ count: 0, items: [] }),
    add,
    change,
    sync,
    remove: async (id) => registry.remove(await registry.find(id)),
    async removeOfOwner(ownerId) {
      await registry.load();
      for (const entry of registry.entries()) if (entry.source.ownerId === ownerId) await registry.remove(entry);
    },
    async close() {
      closing.abort();
      await registry.settled();
    },
  };
}
