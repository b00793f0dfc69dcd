import type { SyncFailure } from '../../store/followed-sources.ts';

interface Problem extends SyncFailure {
  readonly outcome: string;
}

/** The latest problems of a synchronisation, in bounded memory. */
export interface LatestProblems {
  /** Notes the outcome of an item. It replaces what was noted of the item before; without a reason, there is no problem. */
  add(outcome: string, item: Omit<SyncFailure, 'reason'> & { readonly reason?: string | undefined }): void;
  /** At most twenty, the latest first. Skipped items come last, so that they do not displace failures. */
  list(): Problem[];
}

const MAX_PROBLEMS = 20;

export function createLatestProblems(): LatestProblems {
  const failures = new Map<string, Problem>();
  const skipped = new Map<string, Problem>();
  return {
    add(outcome, { name, reason, documentId }) {
      failures.delete(name);
      skipped.delete(name);
      if (reason === undefined) return;
      const problems = outcome === 'skipped' ? skipped : failures;
      problems.set(name, { outcome, name, reason, documentId });
      const [oldest] = problems.keys();
      if (problems.size > MAX_PROBLEMS && oldest !== undefined) problems.delete(oldest);
    },
    list: () => [...[...failures.values()].reverse(), ...[...skipped.values()].reverse()].slice(0, MAX_PROBLEMS),
  };
}
