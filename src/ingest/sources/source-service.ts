import type { Principal } from '../../access/principal.ts';
import { newId } from '../../documents/ids.ts';
import { ServiceError } from '../../errors.ts';
import type { Secrets } from '../../sources/fields.ts';
import { sourceKind } from '../../sources/kinds.ts';
import type { FollowedSource, SourceLocation } from '../../store/followed-sources.ts';
import type { OtherServers } from '../../store/other-servers.ts';
import { changedLocation, needsNewSync, type SourceChange, trySource } from './change-source.ts';
import { createFollower, type Followed, type FollowerParts } from './follow-source.ts';
import { requireFree } from './require-free.ts';
import { openCredentials, sealCredentials } from './source-credentials.ts';
import { type SourceFailures, type SourceStatus, stateOnOtherServer, statusOf } from './source-status.ts';

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
  changedElsewhere(asked?: { readonly kind: string; readonly id: string }): Promise<void>;
  list(): Promise<readonly SourceStatus[]>;
  /** Items of a source that could not be ingested and are retried. */
  failuresOf(source: SourceStatus, limit: number): Promise<SourceFailures>;
  /** Throws `forbidden` for a folder that is not allowed, `conflict` for a source that is already followed. */
  add(
    location: SourceLocation,
    owner: Pick<Principal, 'userId'>,
    collectionIds: readonly string[],
    /** Credentials for a remote source. */
    credentials?: Secrets,
  ): Promise<SourceStatus>;
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

export interface SourceServiceParts extends FollowerParts {
  /** Servers that share the database; only the one on which `start` was called follows the sources. */
  readonly others?: Pick<OtherServers, 'announce' | 'runExclusively'> | undefined;
}

export function createSourceService(parts: SourceServiceParts): SourceService {
  const { records, allowedFolders, others, report } = parts;
  const followed = new Map<string, Followed>();
  const removed = new Set<string>();
  const ending = new Set<Promise<void>>();
  const closing = new AbortController();
  const follow = createFollower(parts, closing.signal);
  let isFollowing = others === undefined;
  let loading: Promise<void> | undefined;

  const load = (): Promise<void> => {
    if (others === undefined) loading ??= read();
    return loading ?? read();
  };

  async function read(): Promise<void> {
    const known = [...followed.keys()];
    const sources = await records.list();
    for (const source of sources) {
      const entry = followed.get(source.id);
      if (entry !== undefined) {
        if (!isFollowing) entry.source = source;
      } else if (!removed.has(source.id)) {
        const added = newEntry(source);
        followed.set(source.id, added);
        if (isFollowing && others !== undefined) resume(added);
      }
    }
    const listed = new Set(sources.map(({ id }) => id));
    for (const id of known) if (!listed.has(id) && followed.get(id)?.isStored === true) drop(id);
  }

  /** The stored fields that another server may have changed; empty if there are no others. Throws `not_found`. */
  async function storedOf(id: string): Promise<Partial<FollowedSource>> {
    if (others === undefined) return {};
    const stored = (await records.list()).find((source) => source.id === id);
    if (stored === undefined) throw notFollowed(id);
    const { location, collectionIds, credentials } = stored;
    return { location, collectionIds, credentials };
  }

  const drop = (id: string): void => {
    const entry = followed.get(id);
    if (entry === undefined) return;
    followed.delete(id);
    entry.stop.abort();
    ending.add(entry.over);
    void entry.over.then(() => ending.delete(entry.over));
  };

  /**
   * Follows a source again after a restart. A site, or a remote source without a schedule, is synchronised only if the
   * end of a process interrupted its last synchronisation.
   */
  const resume = (entry: Followed): void => {
    const { location, lastSync } = entry.source;
    const isOver = lastSync !== null && lastSync.endedAt !== null;
    if (location.kind === 'site' && isOver) return;
    if (location.kind === 'remote' && isOver && location.everyMinutes === null) return;
    entry.isScheduled = true;
    void entry.over.then(() => {
      if (isFollowing && followed.get(entry.source.id) === entry && !entry.isBeingFollowed) follow(entry);
    });
  };

  const requireFolder = async (path: string): Promise<string> =>
    (await import('../folders/followable-folder.ts')).followableFolder(path, allowedFolders);

  const locationsOf = (ownerId: string): SourceLocation[] =>
    [...followed.values()].flatMap(({ source }) => (source.ownerId === ownerId ? source.location : []));

  const find = async (id: string): Promise<Followed> => {
    await load();
    const entry = followed.get(id.toLowerCase());
    if (entry === undefined) throw notFollowed(id);
    return entry;
  };

  const removeEntry = async (entry: Followed): Promise<void> => {
    removed.add(entry.source.id);
    drop(entry.source.id);
    await records.remove(entry.source.id);
    await entry.over;
  };

  async function add(
    ...[given, { userId }, collectionIds, secrets]: Parameters<SourceService['add']>
  ): Promise<SourceStatus> {
    await load();
    const location = given.kind === 'folder' ? { ...given, path: await requireFolder(given.path) } : given;
    if (location.kind === 'remote') sourceKind(location.type).requireKnown?.(location.settings as never, parts);
    const { overlap } = await import('../folders/followable-folder.ts');
    const id = newId();
    const credentials = await sealCredentials(parts.secrets, secrets, id);
    // No await between this check and `followed.set`, so that two concurrent requests cannot both pass it.
    requireFree(location, locationsOf(userId), overlap);
    const lastSync = null;
    const source = {
      id,
      ownerId: userId,
      location,
      collectionIds,
      lastSync,
      ...(credentials !== undefined && { credentials }),
      createdAt: new Date().toISOString(),
    };
    const entry: Followed = { ...newEntry(source), isStored: false };
    followed.set(source.id, entry);
    try {
      await records.add(source);
      entry.isStored = true;
    } catch (error) {
      followed.delete(source.id);
      throw error;
    }
    if (isFollowing) follow(entry);
    return statusHere(entry);
  }

  async function sync(id: string): Promise<SourceStatus> {
    const entry = await find(id);
    if (!isFollowing) {
      await others?.announce({ topic: 'followed_sources', kind: 'sync', id: entry.source.id });
    } else if (!entry.isBeingFollowed || entry.state !== 'syncing') {
      entry.stop.abort();
      await entry.over;
      // Of two concurrent requests, only one starts a synchronisation.
      if (followed.has(entry.source.id) && entry.stop.signal.aborted) {
        entry.isScheduled = false;
        follow(entry);
      }
    }
    return statusHere(entry);
  }

  const runExclusively = <T>(id: string, work: () => Promise<T>): Promise<T> =>
    others === undefined ? work() : others.runExclusively(`source ${id}`, work);

  async function change(...[id, change, { isTried }]: Parameters<SourceService['change']>): Promise<SourceStatus> {
    const entry = await find(id);
    const before = entry.source;
    const location = changedLocation(before.location, change);
    const changesAccess = change.credentials !== undefined || change.settings !== undefined;
    if (isTried && changesAccess && location.kind === 'remote') {
      await trySource(
        location,
        change.credentials ?? (await openCredentials(parts.secrets, before)),
        parts,
        closing.signal,
      );
    }
    const credentials = await sealCredentials(parts.secrets, change.credentials, before.id);
    return runExclusively(before.id, async () => {
      const stored = await storedOf(before.id);
      const source = { ...entry.source, ...stored };
      const changed = {
        ...source,
        location: changedLocation(source.location, change),
        collectionIds: change.collectionIds ?? source.collectionIds,
        credentials: change.credentials === undefined ? source.credentials : credentials,
      };
      // Assigned before the next await, so that concurrent requests do not undo each other's changes.
      entry.source = changed;
      try {
        await records.change(changed);
      } catch (error) {
        if (entry.source === changed) entry.source = source;
        throw error;
      }
      if (followed.get(source.id) !== entry) throw notFollowed(id);
      if (isFollowing) await applyChange(entry, source);
      else await others?.announce({ topic: 'followed_sources', kind: 'taken_up', id: source.id });
      return statusHere(entry);
    });
  }

  /** Applies a changed source: restarts a running synchronisation, or starts one if the change requires it. */
  async function applyChange(entry: Followed, before: FollowedSource): Promise<void> {
    const isNeeded = (entry.isBeingFollowed && entry.state === 'syncing') || needsNewSync(before, entry.source);
    entry.stop.abort();
    await entry.over;
    // Removed meanwhile, or restarted by another request.
    if (followed.get(before.id) !== entry || !entry.stop.signal.aborted) return;
    if (!isNeeded) return resume(entry);
    entry.isScheduled = false;
    follow(entry);
  }

  const statusHere = (entry: Followed): SourceStatus =>
    isFollowing ? statusOf(entry) : { ...entry.source, ...stateOnOtherServer(entry.source) };

  return {
    allowedFolders,
    start() {
      isFollowing = true;
      load().then(
        () => [...followed.values()].forEach(resume),
        (error: unknown) => report('The followed sources could not be read.', error),
      );
    },
    pause() {
      isFollowing = false;
      for (const { stop } of followed.values()) stop.abort();
    },
    async changedElsewhere(asked) {
      await load();
      const entry = asked === undefined || !isFollowing ? undefined : followed.get(asked.id);
      if (entry === undefined) return;
      if (asked?.kind === 'sync') await sync(entry.source.id);
      else {
        const before = entry.source;
        entry.source = { ...before, ...(await storedOf(before.id)) };
        await applyChange(entry, before);
      }
    },
    async list() {
      await load();
      return [...followed.values()].map(statusHere);
    },
    failuresOf: ({ id, location }, limit) =>
      location.kind === 'remote' ? records.latestFailures(id, limit) : Promise.resolve({ count: 0, items: [] }),
    add: (...source) => {
      const [, owner] = source;
      const adding = () => add(...source);
      return others === undefined ? adding() : others.runExclusively(`sources of ${owner.userId}`, adding);
    },
    change,
    sync,
    remove: async (id) => removeEntry(await find(id)),
    async removeOfOwner(ownerId) {
      await load();
      for (const entry of [...followed.values()]) if (entry.source.ownerId === ownerId) await removeEntry(entry);
    },
    async close() {
      closing.abort();
      await Promise.all([...ending, ...[...followed.values()].map(({ over }) => over)]);
    },
  };
}

const notFollowed = (id: string) => new ServiceError('not_found', `There is no followed source ${id}.`);

const newEntry = (source: FollowedSource): Followed => ({
  source,
  state: source.lastSync === null ? 'syncing' : source.lastSync.problem === undefined ? 'idle' : 'stopped',
  problem: source.lastSync?.problem,
  tally: undefined,
  stop: new AbortController(),
  over: Promise.resolve(),
  isStored: true,
  isBeingFollowed: false,
  isScheduled: false,
});
