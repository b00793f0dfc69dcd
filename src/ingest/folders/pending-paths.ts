import { sep } from 'node:path';

/** Paths where something happened, each given out when it has been quiet there for a while, or when that takes long. */
export interface PendingPaths {
  add(path: string): void;
  /** Those that are due, without what lies below another of them. */
  takeDue(now: number): string[];
  /** Milliseconds until one is due; undefined when none waits. */
  untilDue(now: number): number | undefined;
}

export interface Quiet {
  /** Milliseconds without a further event. */
  readonly quietMs: number;
  /** Milliseconds after which a path is due although it never is quiet, as that of a log. */
  readonly maxMs: number;
}

/** So many at once are one change of the whole folder; it costs less to look at all than to keep them. */
const MAX_PATHS = 10_000;

export function createPendingPaths(root: string, { quietMs, maxMs }: Quiet): PendingPaths {
  const pending = new Map<string, { first: number; last: number }>();
  const dueAt = ({ first, last }: { first: number; last: number }) => Math.min(last + quietMs, first + maxMs);

  return {
    add(path) {
      const now = performance.now();
      const known = pending.get(path);
      if (known !== undefined) known.last = now;
      else if (pending.size < MAX_PATHS || path === root) pending.set(path, { first: now, last: now });
      else this.add(root);
    },
    takeDue(now) {
      const due = [...pending].filter(([, times]) => dueAt(times) <= now).map(([path]) => path);
      if (due.includes(root)) {
        pending.clear();
        return [root];
      }
      for (const path of due) pending.delete(path);
      const all = new Set(due);
      return due.filter((path) => {
        for (let end = path.lastIndexOf(sep); end > 0; end = path.lastIndexOf(sep, end - 1)) {
          if (all.has(path.slice(0, end))) return false;
        }
        return true;
      });
    },
    untilDue(now) {
      let next: number | undefined;
      for (const times of pending.values()) next = Math.min(next ?? Number.POSITIVE_INFINITY, dueAt(times));
      return next === undefined ? undefined : Math.max(0, next - now);
    },
  };
}
