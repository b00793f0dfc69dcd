import { ServiceError } from '../../errors.ts';
import { lazyResult } from '../../shared/lazy-result.ts';
import type { FollowedSource, FollowedSourceRecords, SourceLocation } from '../../store/followed-sources.ts';
import type { Follow } from './follow-source.ts';
import { type Followed, newFollowed } from './followed.ts';

/** The followed sources as this process knows them, and whether it is the one that follows them. */
export interface FollowedRegistry {
  isFollowing(): boolean;
  /** Reads the stored sources, unless they are known and no other server can change them. */
  load(): Promise<void>;
  /** The sources as of the last `load`. */
  entries(): readonly Followed[];
  has(entry: Followed): boolean;
  get(id: string): Followed | undefined;
  /** Loads the sources; throws `not_found` if the source is not followed. */
  find(id: string): Promise<Followed>;
  locationsOf(ownerId: string): readonly SourceLocation[];
  /** Stores a new source, and follows it if this process follows sources. The entry is known before the first await. */
  add(source: FollowedSource): Promise<Followed>;
  /** Stops following the source and deletes its record. */
  remove(entry: Followed): Promise<void>;
  /** Starts a synchronisation that was requested rather than scheduled. */
  follow(entry: Followed): void;
  /**
   * Follows a source again after a restart. A site, or a remote source without a schedule, is synchronised only if the
   * end of a process interrupted its last synchronisation.
   */
  resume(entry: Followed): void;
  /** Resumes following the stored sources, until `pause`. */
  start(): Promise<void>;
  pause(): void;
  /** Resolves when no work on a source is in progress. */
  settled(): Promise<void>;
}

interface RegistryParts {
  readonly records: Pick<FollowedSourceRecords, 'list' | 'add' | 'remove'>;
  readonly follow: Follow;
  /** Whether other servers share the records, so that this one follows sources only after `start`. */
  readonly isShared: boolean;
}

export function createFollowedRegistry({ records, follow, isShared }: RegistryParts): FollowedRegistry {
  const followed = new Map<string, Followed>();
  const removed = new Set<string>();
  const ending = new Set<Promise<void>>();
  let isFollowing = !isShared;

  const load = isShared ? read : lazyResult(read);

  async function read(): Promise<void> {
    const known = [...followed.keys()];
    const sources = await records.list();
    for (const source of sources) {
      const entry = followed.get(source.id);
      if (entry !== undefined) {
        if (!isFollowing) entry.source = source;
      } else if (!removed.has(source.id)) {
        const added = newFollowed(source);
        followed.set(source.id, added);
        if (isFollowing && isShared) resume(added);
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

  const has = (entry: Followed): boolean => followed.get(entry.source.id) === entry;

  const resume = (entry: Followed): void => {
    const { location, lastSync } = entry.source;
    const isOver = lastSync !== null && lastSync.endedAt !== null;
    if (location.kind === 'site' && isOver) return;
    if (location.kind === 'remote' && isOver && location.everyMinutes === null) return;
    entry.isScheduled = true;
    void entry.over.then(() => {
      if (isFollowing && has(entry) && !entry.isBeingFollowed) follow(entry);
    });
  };

  return {
    isFollowing: () => isFollowing,
    load,
    entries: () => [...followed.values()],
    has,
    get: (id) => followed.get(id),
    async find(id) {
      await load();
      const entry = followed.get(id.toLowerCase());
      if (entry === undefined) throw notFollowed(id);
      return entry;
    },
    locationsOf: (ownerId) =>
      [...followed.values()].flatMap(({ source }) => (source.ownerId === ownerId ? source.location : [])),
    async add(source) {
      const entry: Followed = { ...newFollowed(source), isStored: false };
      followed.set(source.id, entry);
      try {
        await records.add(source);
        entry.isStored = true;
      } catch (error) {
        followed.delete(source.id);
        throw error;
      }
      if (isFollowing) follow(entry);
      return entry;
    },
    async remove(entry) {
      removed.add(entry.source.id);
      drop(entry.source.id);
      await records.remove(entry.source.id);
      await entry.over;
    },
    follow(entry) {
      entry.isScheduled = false;
      follow(entry);
    },
    resume,
    async start() {
      isFollowing = true;
      await load();
      followed.values().forEach(resume);
    },
    pause() {
      isFollowing = false;
      for (const { stop } of followed.values()) stop.abort();
    },
    async settled() {
      await Promise.all([...ending, ...[...followed.values()].map(({ over }) => over)]);
    },
  };
}

export const notFollowed = (id: string) => new ServiceError('not_found', `There is no followed source ${id}.`);
