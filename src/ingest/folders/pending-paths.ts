import { sep } from 'node:path';

/** Paths with file events. A path is due once no event has occurred for a while, or after a maximum delay. */
export interface PendingPaths {
  add(path: string): void;
  /** Removes and returns the due paths, without those below another due path. */
  takeDue(now: number): string[];
  /** Milliseconds until the next path is due; undefined if none is pending. */
  untilDue(now: number): number | undefined;
}

export interface DebounceTimes {
  /** Milliseconds without a further event after which a path is due. */
  readonly quietMs: number;
  /** Milliseconds after which a path is due even if events continue, as for a log file. */
  readonly maxMs: number;
}

/** Beyond this number the whole folder is checked, which costs less than tracking every path. */
const MAX_PATHS = 10_000;

export function createPendingPaths(root: string, { quietMs, maxMs }: DebounceTimes): PendingPaths {
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
