import pLimit, { type LimitFunction } from 'p-limit';
import { raceAbort } from '../../shared/abort.ts';
import { type ChromaQuotas, noQuotas, readRefusal } from './chroma-quotas.ts';
import type { ServerChecks } from './prepared-client.ts';

export type CallKind = 'read' | 'write';

/** The limits of one server, respected by all calls of this process. */
export interface CallLimits {
  /** The lowest of the configured limits, those the server declares, and those learned from rejected calls. */
  quotas(): ChromaQuotas;
  /** The preflight checks that the server declares; undefined until `prepare` has requested them. */
  checks(): ServerChecks | undefined;
  /** Requests the preflight checks unless they are known. */
  prepare(ask: () => Promise<ServerChecks>): Promise<void>;
  /** Lowers the quota that a rejected call exceeded; true if that changed a quota. */
  learn(error: unknown): boolean;
  /** Makes the call once the collection has a free slot for this kind. Aborting `signal` ends the waiting. */
  withSlot<T>(turn: Turn, call: () => Promise<T>): Promise<T>;
}

interface Turn {
  readonly collection: string;
  readonly kind: CallKind;
  readonly signal?: AbortSignal | undefined;
}

export function createCallLimits(known: Partial<ChromaQuotas> = {}): CallLimits {
  let quotas: ChromaQuotas = { ...noQuotas, ...known };
  let checks: ServerChecks | undefined;
  const turns = new Map<string, LimitFunction>();

  const lower = (limits: Partial<ChromaQuotas>): boolean => {
    const before = quotas;
    quotas = {
      results: Math.min(before.results, limits.results ?? Number.POSITIVE_INFINITY),
      records: Math.min(before.records, limits.records ?? Number.POSITIVE_INFINITY),
      calls: before.calls,
      predicates: Math.min(before.predicates, limits.predicates ?? Number.POSITIVE_INFINITY),
    };
    return (['results', 'records', 'predicates'] as const).some((name) => quotas[name] < before[name]);
  };

  return {
    quotas: () => quotas,
    checks: () => checks,
    async prepare(ask) {
      checks ??= await ask();
      if (checks.max_batch_size > 0) lower({ records: checks.max_batch_size });
    },
    learn(error) {
      const refused = readRefusal(error);
      return refused !== undefined && lower(refused);
    },
    async withSlot({ collection, kind, signal }, call) {
      if (!Number.isFinite(quotas.calls)) return call();
      const name = `${kind} ${collection}`;
      const limit = turns.get(name) ?? pLimit(quotas.calls);
      turns.set(name, limit);
      return raceAbort(
        limit(() => {
          signal?.throwIfAborted();
          return call();
        }),
        signal,
      );
    },
  };
}
