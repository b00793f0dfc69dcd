import { randomUUID } from 'node:crypto';
import {
  defaultMadeFilesSettings,
  type MadeFile,
  type MadeFiles,
  type MadeFilesSettings,
  type NewFile,
  noSuchFile,
  withHash,
} from './made-files.ts';

interface Kept {
  readonly ownerId: string;
  readonly files: ReadonlyMap<string, MadeFile>;
  readonly size: number;
  readonly forget: NodeJS.Timeout;
}

/** Keeps files in memory, without copying them, for an installation with a single server. */
export class InProcessMadeFiles implements MadeFiles {
  readonly #settings: MadeFilesSettings;
  /** By id of the run, oldest first. */
  readonly #runs = new Map<string, Kept>();
  #size = 0;

  constructor(settings: MadeFilesSettings = defaultMadeFilesSettings) {
    this.#settings = settings;
  }

  async keep(ownerId: string, files: readonly NewFile[]): Promise<string> {
    const id = randomUUID();
    const byName = new Map(files.map((file) => [file.name, withHash(file)]));
    const size = files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
    const forget = setTimeout(() => this.#forget(id), this.#settings.retentionMs).unref();
    this.#runs.set(id, { ownerId, files: byName, size, forget });
    this.#size += size;
    for (const oldest of this.#runs.keys()) {
      if (this.#size <= this.#settings.maxBytes || oldest === id) break;
      this.#forget(oldest);
    }
    return id;
  }

  async get(ownerId: string, id: string, name: string): Promise<MadeFile> {
    const kept = this.#runs.get(id);
    const file = kept?.ownerId === ownerId ? kept.files.get(name) : undefined;
    if (file !== undefined) return file;
    throw noSuchFile(id, name, this.#settings);
  }

  async removeOfOwner(ownerId: string): Promise<void> {
    for (const [id, kept] of this.#runs) if (kept.ownerId === ownerId) this.#forget(id);
  }

  async close(): Promise<void> {
    for (const id of this.#runs.keys()) this.#forget(id);
  }

  #forget(id: string): void {
    const kept = this.#runs.get(id);
    if (kept === undefined) return;
    clearTimeout(kept.forget);
    this.#size -= kept.size;
    this.#runs.delete(id);
  }
}
