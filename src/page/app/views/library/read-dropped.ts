/** A file with its folder path relative to what was dropped or chosen; empty for a single file. */
export interface FoundFile {
  readonly file: File;
  readonly folder: string;
  /** URL of a page that the server fetches; `file` is then empty and only has the name. */
  readonly url?: string;
}

/** The used part of the browser's `FileSystemEntry`. */
export interface DroppedEntry {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly name: string;
}
export interface DroppedFile extends DroppedEntry {
  file(done: (file: File) => void, failed: (error: unknown) => void): void;
}
export interface DroppedFolder extends DroppedEntry {
  createReader(): {
    readEntries(done: (entries: readonly DroppedEntry[]) => void, failed: (error: unknown) => void): void;
  };
}

/** The used part of the browser's `DataTransfer`. */
interface Transfer {
  readonly types: readonly string[];
  readonly items: Iterable<{ webkitGetAsEntry(): DroppedEntry | null; getAsFile(): File | null }>;
}

/** Whether to skip the name: hidden files and files created by tools. */
const isIgnored = (name: string): boolean => name.startsWith('.') || IGNORED_NAMES.has(name);
const IGNORED_NAMES: ReadonlySet<string> = new Set(['node_modules', '__MACOSX', 'Thumbs.db', 'desktop.ini']);

/**
 * Files generated for browsers, which are skipped below a folder: the same as `citewell ingest` skips
 * (ingest/folders/is-generated.ts).
 */
const GENERATED =
  /^(?:searchindex\.js|search[_-]index\.js(?:on)?)$|\.min\.(?:js|mjs|cjs|css)$|\.(?:js|mjs|cjs|css)\.map$/i;
const isUnwanted = (name: string, folder: string): boolean =>
  isIgnored(name) || (folder !== '' && GENERATED.test(name));

/** All files in the dropped entries, recursively. Unreadable folders are skipped. */
export async function* filesOf(entries: readonly DroppedEntry[], folder = ''): AsyncGenerator<FoundFile, void> {
  for (const entry of entries) {
    if (isUnwanted(entry.name, folder)) continue;
    if (entry.isFile) {
      const file = await fileOf(entry as DroppedFile).catch(() => undefined);
      if (file !== undefined) yield { file, folder };
    } else if (entry.isDirectory) {
      const below = folder === '' ? entry.name : `${folder}/${entry.name}`;
      yield* filesOf(await entriesOf(entry as DroppedFolder).catch(() => []), below);
    }
  }
}

/** What was dropped, which is accessible during the event only. A file from another program may have no entry. */
export const entriesIn = (transfer: Transfer | null): readonly DroppedEntry[] =>
  [...(transfer?.items ?? [])].flatMap((item) => item.webkitGetAsEntry() ?? entryOf(item.getAsFile()));

function entryOf(file: File | null): DroppedFile | [] {
  if (file === null) return [];
  return { isFile: true, isDirectory: false, name: file.name, file: (done) => done(file) };
}

/** The same for what was pasted. A program that copies formatted text may add a picture of it, which is not meant. */
export const entriesPasted = (transfer: Transfer | null): readonly DroppedEntry[] =>
  transfer?.types.includes('text/html') === true ? [] : entriesIn(transfer);

const fileOf = (entry: DroppedFile): Promise<File> => new Promise((done, failed) => entry.file(done, failed));

/** The browser returns the entries of a folder in batches of a hundred, then an empty one. */
async function entriesOf(folder: DroppedFolder): Promise<readonly DroppedEntry[]> {
  const reader = folder.createReader();
  const all: DroppedEntry[] = [];
  for (;;) {
    const some = await new Promise<readonly DroppedEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/** The files of a file or folder input. */
export function chosenFiles(files: Iterable<File & { readonly webkitRelativePath: string }>): readonly FoundFile[] {
  return [...files].flatMap((file) => {
    const parts = file.webkitRelativePath.split('/').slice(0, -1);
    const folder = parts.join('/');
    return isUnwanted(file.name, folder) || parts.some(isIgnored) ? [] : [{ file, folder }];
  });
}
