import { createHash, randomUUID } from 'node:crypto';
import { ServiceError } from '../errors.ts';

export interface NewFile {
  /** Relative path, unique within its run. */
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface MadeFile extends NewFile {
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly contentHash: string;
}

export interface MadeFilesSettings {
  /** Milliseconds for which files are kept. */
  readonly retentionMs: number;
  /** Maximum bytes kept; the files of the oldest runs are dropped first. */
  readonly maxBytes: number;
}

const defaultMadeFilesSettings: MadeFilesSettings = { retentionMs: 60 * 60_000, maxBytes: 256_000_000 };

interface Kept {
  readonly ownerId: string;
  readonly files: ReadonlyMap<string, MadeFile>;
  readonly size: number;
  readonly forget: NodeJS.Timeout;
}

/** Files made by tool calls, in memory, until they expire or newer ones need the room. */
export class MadeFiles {
  readonly #settings: MadeFilesSettings;
  /** By id of the run, oldest first. */
  readonly #runs = new Map<string, Kept>();
  #size = 0;

  constructor(settings: MadeFilesSettings = defaultMadeFilesSettings) {
    this.#settings = settings;
  }

  /** Returns the id of the run under which the files can be read; files are not copied. */
  keep(ownerId: string, files: readonly NewFile[]): string {
    const id = randomUUID();
    const byName = new Map(
      files.map((file) => [file.name, { ...file, contentHash: createHash('sha256').update(file.bytes).digest('hex') }]),
    );
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

  /** Throws `not_found` alike for unknown, expired and foreign files. */
  get(ownerId: string, id: string, name: string): MadeFile {
    const kept = this.#runs.get(id);
    const file = kept?.ownerId === ownerId ? kept.files.get(name) : undefined;
    if (file !== undefined) return file;
    const minutes = Math.round(this.#settings.retentionMs / 60_000);
    throw new ServiceError(
      'not_found',
      `There is no file ${name} of the run ${id}. Files are kept for ${minutes} minutes at most, and until the service stops; run the code again.`,
    );
  }

  close(): void {
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
