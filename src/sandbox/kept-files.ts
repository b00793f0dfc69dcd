import { LruMap } from '../shared/lru-map.ts';
import type { SandboxFile } from './sandbox.ts';

/** Changes that a call made to its working folder, as reported by the harness; untrusted, for the same session only. */
export interface FolderChanges {
  readonly changed: readonly SandboxFile[];
  readonly removed: readonly string[];
  /** Files beyond the size limit, which are not kept. */
  readonly tooLarge: readonly string[];
}

export interface KeptFolder {
  readonly files: readonly SandboxFile[];
  readonly tooLarge: readonly string[];
}

interface Kept {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly tooLarge: readonly string[];
  readonly size: number;
  readonly usedAt: number;
}

/** Maximum number of files kept per session. */
export const MAX_KEPT_FILES = 1_000;

const MAX_BYTES = 256_000_000;
const RETENTION_MS = 60 * 60_000;
/** Overhead counted for each session, file and name, so that large numbers of small ones are limited as well. */
const ENTRY_BYTES = 1_000;

interface KeptFilesOptions {
  /** Maximum bytes of the files of one session. */
  readonly sessionBytes?: number;
  readonly now?: () => number;
}

/** The files of sessions as of their last completed call, in memory: a session whose slot has ended gets them back. */
export class KeptFiles {
  readonly #now: () => number;
  readonly #sessionBytes: number;
  readonly #sessions = new LruMap<string, Kept>({ max: MAX_BYTES, sizeOf: ({ size }) => size });

  constructor({ sessionBytes = MAX_BYTES, now = () => performance.now() }: KeptFilesOptions = {}) {
    this.#sessionBytes = sessionBytes;
    this.#now = now;
  }

  /** Whether files of the session are kept; false after they were evicted or expired. */
  has(session: string): boolean {
    return this.#fresh(session) !== undefined;
  }

  get(session: string): KeptFolder {
    const kept = this.#fresh(session);
    const files = [...(kept?.files ?? [])].map(([name, bytes]) => ({ name, bytes }));
    return { files, tooLarge: kept?.tooLarge ?? [] };
  }

  /** `isWhole` means that the changes are all files of the session, not only those since the last update. */
  update(session: string, { changed, removed, tooLarge }: FolderChanges, { isWhole }: { isWhole: boolean }): void {
    const before = isWhole ? undefined : this.#fresh(session);
    // The session's files were evicted in the meantime, so these changes alone would be incomplete.
    if (before === undefined && !isWhole) return;
    const files = new Map(before?.files);
    for (const name of [...removed, ...tooLarge]) files.delete(name);
    for (const { name, bytes } of changed) files.set(name, bytes);
    const bytes = [...files.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    // The harness keeps to both limits unless the code has tampered with it.
    if (bytes > this.#sessionBytes || files.size > MAX_KEPT_FILES) {
      this.forget(session);
      return;
    }
    const size = bytes + (1 + files.size + tooLarge.length) * ENTRY_BYTES;
    this.#sessions.set(session, { files, tooLarge, size, usedAt: this.#now() });
  }

  forget(session: string): void {
    this.#sessions.delete(session);
  }

  #fresh(session: string): Kept | undefined {
    const kept = this.#sessions.get(session);
    if (kept === undefined || kept.usedAt >= this.#now() - RETENTION_MS) return kept;
    this.forget(session);
    return undefined;
  }
}
