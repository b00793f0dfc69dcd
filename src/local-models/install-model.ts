import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ServiceError } from '../errors.ts';
import { catalogModel } from './catalog.ts';
import { downloadFile, type HubFile, readRepository } from './hub.ts';
import {
  CONFIG,
  chooseFiles,
  filesToInstall,
  type InstalledModel,
  installedFolder,
  MANIFEST,
  type ModelManifest,
  missingFile,
  readModelFolder,
  sha256Of,
} from './model-folder.ts';

export interface InstallOptions {
  /** A name of the catalog, or `owner/name` of the hub. */
  readonly name: string;
  readonly modelsFolder: string;
  /** Base address of the hub or a mirror. */
  readonly hub: string;
  /** A folder that contains the model, instead of the hub. */
  readonly from?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: { readonly done: number; readonly total: number; readonly file: string }) => void;
}

const MODEL_NAME = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/;

/**
 * Installs a model from the hub or a folder. The files are collected in a separate folder, which replaces an installed
 * model when all are present and their checksums are right; an interrupted installation continues when run again.
 */
export async function installModel(options: InstallOptions): Promise<InstalledModel> {
  const { name, modelsFolder, from } = options;
  if (!MODEL_NAME.test(name)) {
    throw new ServiceError(
      'invalid_request',
      `"${name}" is not the name of a model. Expected <name> or <owner>/<name>.`,
    );
  }
  const folder = installedFolder(modelsFolder, name);
  const incoming = `${folder}.incoming`;
  await mkdir(incoming, { recursive: true });
  const fetched =
    from === undefined ? await fromHub(options, incoming) : await fromFolder(resolve(from), incoming, options);
  const { kind } = await readModelFolder(incoming);
  const files = await Promise.all(
    fetched.files.map(async (path) => ({
      path,
      size: (await stat(join(incoming, path))).size,
      sha256: await sha256Of(join(incoming, path)),
    })),
  );
  const manifest: ModelManifest = {
    name,
    kind,
    source: fetched.source,
    ...(fetched.revision !== undefined && { revision: fetched.revision }),
    installed_at: new Date().toISOString(),
    files,
  };
  await writeFile(join(incoming, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  await rm(folder, { recursive: true, force: true });
  await rename(incoming, folder);
  return { ...manifest, path: folder, sizeInBytes: files.reduce((sum, { size }) => sum + size, 0) };
}

interface FetchParts {
  readonly source: string;
  readonly revision?: string;
  readonly files: readonly string[];
}

async function fromHub({ name, hub, signal, onProgress }: InstallOptions, incoming: string): Promise<FetchParts> {
  const repository = catalogModel(name)?.repository ?? name;
  if (!repository.includes('/')) {
    throw new ServiceError(
      'invalid_request',
      `There is no model "${name}" in the catalog. "citewell models list" shows them; any other is named <owner>/<name> as on the hub.`,
    );
  }
  const { revision, files } = await readRepository(hub, repository, signal);
  const fetchFile = (file: HubFile, onBytes: (bytes: number) => void) =>
    downloadFile({ hub, repository, revision, file, target: join(incoming, file.path), signal, onProgress: onBytes });
  const description = files.find(({ path }) => path === CONFIG);
  if (description === undefined) throw missingFile(repository, CONFIG);
  await fetchFile(description, () => {});
  const paths = chooseFiles(
    files.map(({ path }) => path),
    { source: repository, description: incoming },
  );
  const chosen = files.filter(({ path }) => paths.includes(path));
  const total = chosen.reduce((sum, { size }) => sum + size, 0);
  let before = 0;
  for (const file of chosen) {
    await fetchFile(file, (bytes) => onProgress({ done: before + bytes, total, file: file.path }));
    before += file.size;
  }
  return { source: repository, revision, files: chosen.map(({ path }) => path) };
}

async function fromFolder(
  folder: string,
  incoming: string,
  { signal, onProgress }: Pick<InstallOptions, 'signal' | 'onProgress'>,
): Promise<FetchParts> {
  if (!existsSync(join(folder, CONFIG))) {
    throw new ServiceError('invalid_request', `There is no model in ${folder}: config.json is missing.`);
  }
  const files = filesToInstall(folder);
  const sizes = await Promise.all(files.map(async (path) => (await stat(join(folder, path))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  let done = 0;
  for (const [at, path] of files.entries()) {
    if (signal.aborted) throw new ServiceError('cancelled', 'The installation was stopped.');
    await mkdir(dirname(join(incoming, path)), { recursive: true });
    await copyFile(join(folder, path), join(incoming, path));
    done += sizes[at] ?? 0;
    onProgress({ done, total, file: path });
  }
  return { source: folder, files };
}
