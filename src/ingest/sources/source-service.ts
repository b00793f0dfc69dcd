import type { Principal } from '../../access/principal.ts';
import { newId } from '../../documents/ids.ts';
import { ServiceError } from '../../errors.ts';
import type { Secrets } from '../../sources/fields.ts';
import type { FollowedSource, SourceLocation } from '../../store/followed-sources.ts';
import type { OtherServers } from '../../store/other-servers.ts';
import { createFollower, type Followed, type FollowerParts, type SourceState } from './follow-source.ts';

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
  /** Leaves following to another server, until the next `start`. */
  pause(): void;
  /** Reads what another server has added or removed; with an id, begins a synchronisation if it is followed here. */
  changedElsewhere(id?: string): Promise<void>;
  list(): Promise<readonly SourceStatus[]>;
  /** Throws `forbidden` for a folder that is not allowed, `conflict` for one that is followed already. */
  add(
    location: SourceLocation,
    owner: Pick<Principal, 'userId'>,
    collectionIds: readonly string[],
    /** Credentials, for a source outside this machine. */
    credentials?: Secrets,
  ): Promise<SourceStatus>;
  /** Begins a full synchronisation. */
  sync(id: string): Promise<SourceStatus>;
  /** Ends following; the documents stay. */
  remove(id: string): Promise<void>;
  removeOfOwner(ownerId: string): Promise<void>;
  close(): Promise<void>;
}

export interface SourceServiceParts extends FollowerParts {
  /** Servers of which one follows for all: the one that was told to `start`. */
  readonly others?: Pick<OtherServers, 'announce' | 'inTurn'> | undefined;
}

const MAX_PER_OWNER = 100;

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

  const drop = (id: string): void => {
    const entry = followed.get(id);
    if (entry === undefined) return;
    followed.delete(id);
    entry.stop.abort();
    ending.add(entry.over);
    void entry.over.then(() => ending.delete(entry.over));
  };

  /**
   * A walk of a site, and a source that has no schedule, is taken up again only if the end of a process interrupted it.
   */
  const resume = (entry: Followed): void => {
    const { location, lastSync } = entry.source;
    const isOver = lastSync !== null && lastSync.endedAt !== null;
    if (location.kind === 'site' && isOver) return;
    if (location.kind === 'remote' && isOver && location.everyMinutes === null) return;
    entry.isScheduled = true;
    void entry.over.then(() => {
      if (isFollowing && followed.get(entry.source.id) === entry && !entry.isInWork) follow(entry);
    });
  };

  const requireFolder = async (path: string): Promise<string> =>
    (await import('../folders/followable-folder.ts')).followableFolder(path, allowedFolders);

  function requireFree(location: SourceLocation, ownerId: string, overlap: (one: string, other: string) => boolean) {
    const own = [...followed.values()].filter(({ source }) => source.ownerId === ownerId);
    if (own.length >= MAX_PER_OWNER) {
      throw new ServiceError(
        'conflict',
        `At most ${MAX_PER_OWNER} sources are followed for one user. Remove some first.`,
      );
    }
    const other = own.find(({ source: { location: there } }) =>
      there.kind === 'folder'
        ? location.kind === 'folder' && overlap(there.path, location.path)
        : location.kind !== 'folder' && placeOf(there) === placeOf(location),
    );
    if (other === undefined) return;
    throw new ServiceError(
      'conflict',
      `${placeOf(other.source.location)} is followed already. Remove it first, or synchronise it.`,
    );
  }

  const sealed = async (secrets: Secrets | undefined, id: string): Promise<string | undefined> => {
    if (secrets === undefined || Object.keys(secrets).length === 0) return undefined;
    if (parts.secrets !== undefined) return parts.secrets.seal(JSON.stringify(secrets), id);
    throw new ServiceError('not_configured', 'This service can keep no credentials. Set CITEWELL_SECRET_KEY.');
  };

  const find = async (id: string): Promise<Followed> => {
    await load();
    const entry = followed.get(id.toLowerCase());
    if (entry === undefined) throw new ServiceError('not_found', `There is no followed source ${id}.`);
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
    const { overlap } = await import('../folders/followable-folder.ts');
    const id = newId();
    const credentials = await sealed(secrets, id);
    // Nothing is awaited between this check and the entry, so that two requests at once do not both pass.
    requireFree(location, userId, overlap);
    const lastSync = null;
    const source = {
      ...{ id, ownerId: userId, location, collectionIds, lastSync },
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
    } else if (!entry.isInWork || entry.state !== 'syncing') {
      entry.stop.abort();
      await entry.over;
      // Two requests at once begin one synchronisation.
      if (followed.has(entry.source.id) && entry.stop.signal.aborted) {
        entry.isScheduled = false;
        follow(entry);
      }
    }
    return statusHere(entry);
  }

  const statusHere = (entry: Followed): SourceStatus =>
    isFollowing ? statusOf(entry) : { ...entry.source, ...stateElsewhere(entry.source) };

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
    async changedElsewhere(id) {
      await load();
      if (id !== undefined && isFollowing && followed.has(id)) await sync(id);
    },
    async list() {
      await load();
      return [...followed.values()].map(statusHere);
    },
    add: (...source) => {
      const [, owner] = source;
      const adding = () => add(...source);
      return others === undefined ? adding() : others.inTurn(`sources of ${owner.userId}`, adding);
    },
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

const newEntry = (source: FollowedSource): Followed => ({
  source,
  state: source.lastSync === null ? 'syncing' : source.lastSync.problem === undefined ? 'idle' : 'stopped',
  problem: source.lastSync?.problem,
  tally: undefined,
  stop: new AbortController(),
  over: Promise.resolve(),
  isStored: true,
  isInWork: false,
  isScheduled: false,
});

/** By which a source is shown. */
export function placeOf(location: SourceLocation): string {
  switch (location.kind) {
    case 'folder':
      return location.path;
    case 'site':
      return location.url;
    case 'remote':
      return location.address;
  }
}

/** What the report of the server that follows it says. */
function stateElsewhere({ location, lastSync }: FollowedSource): Pick<SourceStatus, 'state' | 'problem'> {
  if (lastSync?.problem !== undefined) return { state: 'stopped', problem: lastSync.problem };
  if (lastSync === null || lastSync.endedAt === null) return { state: 'syncing' };
  return { state: location.kind === 'folder' ? 'following' : 'idle' };
}

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
