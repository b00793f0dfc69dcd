import { randomUUID } from 'node:crypto';
import type { SharedFiles } from '../store/shared-state.ts';
import {
  defaultMadeFilesSettings,
  type MadeFile,
  type MadeFiles,
  type MadeFilesSettings,
  type NewFile,
  noSuchFile,
  withHash,
} from './made-files.ts';
import type { ReportProblem } from './run-journal.ts';

const TRIM_EVERY_MS = 60_000;

/** Keeps files in the shared store, so that every server can read them. */
export class SharedMadeFiles implements MadeFiles {
  readonly #files: SharedFiles;
  readonly #settings: MadeFilesSettings;
  readonly #trimming: NodeJS.Timeout;

  constructor(files: SharedFiles, report: ReportProblem, settings: MadeFilesSettings = defaultMadeFilesSettings) {
    this.#files = files;
    this.#settings = settings;
    const trim = () => void files.trim(settings).catch((error) => report('Old files could not be removed.', error));
    this.#trimming = setInterval(trim, TRIM_EVERY_MS).unref();
  }

  async keep(ownerId: string, files: readonly NewFile[]): Promise<string> {
    const id = randomUUID();
    await this.#files.insert(ownerId, id, files.map(withHash));
    await this.#files.trim(this.#settings);
    return id;
  }

  async get(ownerId: string, id: string, name: string): Promise<MadeFile> {
    const file = await this.#files.get(ownerId, id, name, this.#settings.retentionMs);
    if (file === undefined) throw noSuchFile(id, name, this.#settings);
    return file;
  }

  removeOfOwner(ownerId: string): Promise<void> {
    return this.#files.removeOfOwner(ownerId);
  }

  async close(): Promise<void> {
    clearInterval(this.#trimming);
  }
}
