import type { Metadata } from '../documents/document.ts';
import { ownedBy } from '../documents/filter.ts';
import { ServiceError } from '../errors.ts';
import type { Corpus } from '../store/corpus.ts';
import type { OtherServers } from '../store/other-servers.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { UserStore } from '../store/user-records.ts';
import { defaultAdmin } from './principal.ts';
import { numberIn } from './request-limits.ts';

export const quotaKinds = ['documents', 'chunks', 'collections'] as const;
export type QuotaKind = (typeof quotaKinds)[number];

/** Limits of one user; an absent kind is unlimited. */
export type QuotaSizes = { readonly [kind in QuotaKind]?: number | undefined };

/** Storage quotas per user (docs/contract.md 2); superusers have none. */
export interface Quotas {
  /**
   * Runs `act`, which adds `count` of each kind (1 by default), if the user's quota allows it; otherwise throws `forbidden`. Calls of one user run one after the
   * other, so that concurrent uploads cannot exceed the quota.
   */
  within<T>(userId: string, kinds: readonly QuotaKind[], act: () => Promise<T>, count?: number): Promise<T>;
  sizesOf(overrides: Metadata | null): QuotaSizes;
  used(userId: string): Promise<Readonly<Record<QuotaKind, number>>>;
}

export interface QuotaParts {
  readonly defaults: QuotaSizes;
  readonly users: UserStore['users'];
  readonly corpus: Corpus;
  readonly collections: CollectionRecords;
  /** Serialises the calls of one user across servers; without it, within this process only. */
  readonly others?: Pick<OtherServers, 'runExclusively'> | undefined;
}

export function createQuotas({ defaults, users, corpus, collections, others }: QuotaParts): Quotas {
  const sizesOf = (overrides: Metadata | null): QuotaSizes => ({
    documents: numberIn(overrides, 'max_documents') ?? numberIn(overrides, 'max_files') ?? defaults.documents,
    chunks: numberIn(overrides, 'max_chunks') ?? defaults.chunks,
    collections: numberIn(overrides, 'max_collections') ?? defaults.collections,
  });
  const used = async (userId: string) => {
    const [{ documents, chunks }, { total }] = await Promise.all([
      corpus.stats(ownedBy(userId)),
      collections.list({ ownerId: userId, offset: 0, limit: 1 }),
    ]);
    const states = Object.values(documents);
    return { documents: states.reduce((sum, each) => sum + each, 0), chunks, collections: total };
  };
  const limitsOf = async (userId: string, kinds: readonly QuotaKind[]) => {
    if (userId === defaultAdmin.userId) return [];
    const user = await users.get(userId);
    if (user?.isSuperuser) return [];
    const sizes = sizesOf(user?.limitsOverrides ?? null);
    return kinds.flatMap((kind) => {
      const most = sizes[kind];
      return most === undefined ? [] : [{ kind, most }];
    });
  };
  const pending = new Map<string, Promise<unknown>>();
  return {
    async within(userId, kinds, act, count = 1) {
      const limits = await limitsOf(userId, kinds);
      if (limits.length === 0) return act();
      // Locked per kind, because ingesting a document may create a collection while it holds the lock.
      const turn = `${userId} ${kinds.join()}`;
      const before = pending.get(turn);
      const check = async () => {
        const has = await used(userId);
        for (const { kind, most } of limits) {
          if (has[kind] + count <= most) continue;
          const what = has[kind] === 1 ? kind.slice(0, -1) : kind;
          const more = count === 1 ? '' : `, so ${count} more are too many`;
          throw new ServiceError(
            'forbidden',
            `You have ${has[kind]} ${what} and may have ${most}${more}. Delete some, or ask an administrator for more.`,
          );
        }
        return act();
      };
      const done = (async () => {
        await before?.catch(() => {});
        return others === undefined ? check() : others.runExclusively(`quota ${turn}`, check);
      })();
      pending.set(turn, done);
      try {
        return await done;
      } finally {
        if (pending.get(turn) === done) pending.delete(turn);
      }
    },
    sizesOf,
    used,
  };
}
