import { lstat, opendir, readFile, stat } from 'node:fs/promises';
import { basename, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Metadata } from '../../documents/document.ts';
import { ServiceError } from '../../errors.ts';
import { fileProblem } from '../../shared/file-problem.ts';
import { hashFile } from '../../shared/hash-file.ts';
import type { LruMap } from '../../shared/lru-map.ts';
import { mapConcurrently } from '../../shared/map-concurrently.ts';
import { findFiles } from './find-files.ts';
import type { FolderStep } from './folder-step.ts';
import { DELETED_TOGETHER, type FolderTarget, type SourcedDocument } from './folder-target.ts';
import { leadsBelow, realFolders } from './followable-folder.ts';
import { isGenerated } from './is-generated.ts';
import { isSupported, refuseLarge, unreadableWords } from './supported-files.ts';

export interface SyncParts {
  readonly client: FolderTarget;
  /** Absolute; documents outside this folder are never changed. */
  readonly root: string;
  readonly metadata: Metadata;
  readonly collections: readonly string[];
  readonly dataFolder: string;
  /** Maximum size in bytes; larger files are not read. Without it, the limits of the formats apply. */
  readonly maxBytes?: number | undefined;
  readonly keepDeleted: boolean;
  /** Links to files outside these folders are not read; undefined allows all. */
  readonly within?: readonly string[] | undefined;
  /**
   * Paths of duplicates by the document with their content: one of them takes over when the document's own file is
   * deleted.
   */
  readonly duplicates: Map<string, Set<string>>;
  /** For repeated passes: content hashes of skipped files by path, which are read again only when they change. */
  readonly skipped?: LruMap<string, string>;
  /** Milliseconds a file must be unchanged before it is read; a file still being written is checked later. */
  readonly settleMs: (path: string) => number;
  /** When aborted, no new work is started. */
  readonly stop: AbortSignal;
  /** When aborted, work in progress is cancelled. */
  readonly abandon: AbortSignal;
}

const CONCURRENCY = 3;
const DOCUMENTS_PER_PAGE = 200;
const FILES_PER_REQUEST = 100;

/**
 * Synchronises the documents of these paths (files, folders, or deleted ones) with the file system. Files are ingested
 * first, so that a moved one is recognised before its document would be removed. Memory does not grow with the number
 * of files.
 */
export async function* syncPaths(paths: readonly string[], parts: SyncParts): AsyncGenerator<FolderStep, void> {
  const bases = parts.within && (await realFolders(parts.within));
  const files = withDocuments(filesAt(paths, parts), parts);
  yield* mapConcurrently(files, CONCURRENCY, (file) => syncFile(file, { ...parts, within: bases }));
  if (parts.keepDeleted || parts.stop.aborted) return;
  for (const path of paths) yield* removeMissing(path, parts);
}

/** A path with the problem if it cannot be read. */
interface FoundPath {
  readonly path: string;
  readonly problem?: string;
}

async function* filesAt(
  paths: readonly string[],
  { root, dataFolder, stop }: SyncParts,
): AsyncGenerator<FoundPath, void> {
  for (const path of paths) {
    if (stop.aborted) return;
    if (!isWanted(path, root)) continue;
    const info = await stat(path).catch(() => undefined);
    const isFolder = info?.isDirectory() === true;
    // A link to a folder is not followed.
    if (isFolder && path !== root && (await lstat(path)).isSymbolicLink()) continue;
    if (!isFolder && (info === undefined || !info.isFile() || !(await isSupported(path)))) continue;
    for await (const found of findFiles(path, { isSupported, dataFolder, signal: stop })) {
      if (found.kind !== 'skipped') yield found;
    }
  }
}

interface FoundFile extends FoundPath {
  readonly source: string;
  /** The document of the file. Those of other files are requested together with it. */
  document(): Promise<SourcedDocument | undefined>;
}

async function* withDocuments(
  paths: AsyncIterable<FoundPath>,
  { client, stop }: Pick<SyncParts, 'client' | 'stop'>,
): AsyncGenerator<FoundFile, void> {
  for await (const batch of inBatches(paths, FILES_PER_REQUEST)) {
    const sources = batch.map(({ path }) => pathToFileURL(path).href);
    let requested: ReturnType<FolderTarget['documentsOf']> | undefined;
    const request = () => {
      requested ??= client.documentsOf(sources);
      return requested;
    };
    for (const [index, found] of batch.entries()) {
      if (stop.aborted) return;
      yield { ...found, source: sources[index] ?? '', document: async () => (await request())[index] };
    }
  }
}

async function* inBatches<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<readonly Item[], void> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Below the root, and not within a hidden or dependency folder. */
function isWanted(path: string, root: string): boolean {
  const way = relative(root, path);
  if (way === '') return true;
  if (isGenerated(basename(path))) return false;
  return way.split(sep).every((part) => !part.startsWith('.') && part !== 'node_modules');
}

async function syncFile({ path, problem, source, document }: FoundFile, parts: SyncParts): Promise<FolderStep> {
  if (problem !== undefined) return failed(path, unreadableWords(problem));
  const { client, root, maxBytes, skipped } = parts;
  let contentHash = '';
  try {
    if (parts.within !== undefined && !(await leadsBelow(path, parts.within))) {
      return failed(path, 'It leads to a file outside the folders that may be followed.');
    }
    const info = await stat(path);
    // ctime, which unlike mtime cannot be set by programs.
    const age = Date.now() - info.ctimeMs;
    if (age >= 0 && age < parts.settleMs(path)) return { type: 'unsettled', name: path };
    await refuseLarge(path, info.size, maxBytes);
    contentHash = await hashFile(path);
    if (skipped?.get(path) === contentHash) return { type: 'unchanged', name: path };
    const known = await document();
    if (known !== undefined && known.contentHash === contentHash && !isUnfinishedHere(known, client)) {
      return { type: 'unchanged', name: path };
    }
    const moved = known === undefined ? await movedHere(contentHash, root, client) : undefined;
    if (moved !== undefined) {
      await client.updateSource(moved.id, { source, fileName: basename(path) });
      return { type: 'moved', name: path, from: fileURLToPath(moved.source), documentId: moved.id };
    }
    const step = await ingestFile(path, source, parts);
    if (step.type !== 'document' || step.outcome !== 'failed') return step;
    const now = await client.documentOf(source);
    // Another synchronisation submitted the same content meanwhile.
    const isTaken = now?.contentHash === contentHash && now.status !== 'failed';
    return isTaken ? { type: 'unchanged', name: path } : step;
  } catch (error) {
    if (error instanceof ServiceError) {
      if (error.code === 'unsupported_type') {
        skipped?.set(path, contentHash);
        return { type: 'skipped', name: path, reason: error.message };
      }
      if (!concernsOneFile(error)) throw error;
      return failed(path, error.message);
    }
    const code = (error as NodeJS.ErrnoException).code;
    // The file was deleted meanwhile; the removal step handles it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return { type: 'unchanged', name: path };
    if (code === 'EBUSY') return { type: 'unsettled', name: path };
    return failed(path, unreadableWords(fileProblem(error)));
  }
}

const failed = (name: string, reason: string): FolderStep => ({
  type: 'document',
  outcome: 'failed',
  documentId: null,
  name,
  reason,
});

const concernsOneFile = ({ code }: ServiceError): boolean =>
  code === 'invalid_request' || code === 'too_large' || code === 'timeout';

// A server processes its own queue; without one, unfinished documents must be ingested in this process.
const isUnfinishedHere = ({ status }: SourcedDocument, { server }: FolderTarget): boolean =>
  server === undefined && status !== 'success' && status !== 'failed' && status !== 'enriching';

async function ingestFile(path: string, source: string, parts: SyncParts): Promise<FolderStep> {
  const { client, metadata, collections, abandon } = parts;
  const bytes = await readFile(path, { signal: abandon });
  const item = { source, fileName: basename(path), bytes, metadata, collections };
  const { outcome, documentId, reason } = await client.ingest(item, abandon);
  if (outcome === 'unchanged') return { type: 'unchanged', name: path };
  if (outcome === 'duplicate' && documentId !== null) {
    const paths = parts.duplicates.get(documentId) ?? new Set();
    parts.duplicates.set(documentId, paths.add(path));
  }
  return { type: 'document', name: path, outcome, documentId, ...(reason !== undefined && { reason }) };
}

/** A document below the root with these bytes whose file is gone, i.e. which was moved. */
async function movedHere(
  contentHash: string,
  root: string,
  client: FolderTarget,
): Promise<SourcedDocument | undefined> {
  const prefix = `${pathToFileURL(root).href}/`;
  const sameContent = await client.documentsBelow({ prefix, contentHash, limit: DOCUMENTS_PER_PAGE });
  for (const document of sameContent) if (await isGone(fileURLToPath(document.source))) return document;
  return undefined;
}

const GONE_ROOT = 'The folder cannot be read or is gone, so nothing is removed.';

async function* removeMissing(path: string, parts: SyncParts): AsyncGenerator<FolderStep, void> {
  const { client, root, stop } = parts;
  const kept = { type: 'kept', name: root, reason: GONE_ROOT } as const;
  if (!(await isStillThere(root))) return yield kept;
  const source = pathToFileURL(path).href;
  const own = await client.documentOf(source);
  if (own !== undefined && (await isGone(path))) {
    if (!(await isStillThere(root))) return yield kept;
    yield* removeAll([own], parts);
  }
  const isEmptyRoot = path === root && (await isEmpty(root));
  let after: string | undefined;
  for (;;) {
    const page = await client.documentsBelow({
      prefix: `${source}/`,
      limit: DOCUMENTS_PER_PAGE,
      ...(after !== undefined && { after }),
    });
    if (isEmptyRoot && page.length > 0) {
      const reason = 'The folder is empty, possibly because its file system is not mounted; no documents were removed.';
      yield { type: 'kept', name: root, reason };
      return;
    }
    for (let from = 0; from < page.length; from += DELETED_TOGETHER) {
      if (stop.aborted) return;
      const documents = page.slice(from, from + DELETED_TOGETHER);
      const missing = await Promise.all(documents.map(({ source: own }) => isGone(fileURLToPath(own))));
      if (!missing.includes(true)) continue;
      // Looked at after the missing files: the folder may have been moved, or its file system lost, in the meantime.
      if (!(await isStillThere(root))) return yield kept;
      yield* removeAll(
        documents.filter((_, place) => missing[place]),
        parts,
      );
    }
    after = page.at(-1)?.source;
    if (page.length < DOCUMENTS_PER_PAGE || after === undefined) return;
  }
}

async function* removeAll(
  documents: readonly SourcedDocument[],
  { client, duplicates }: SyncParts,
): AsyncGenerator<FolderStep, void> {
  const removed: SourcedDocument[] = [];
  for (const document of documents) {
    const path = await duplicateOf(document.id, duplicates);
    if (path === undefined) {
      duplicates.delete(document.id);
      removed.push(document);
      continue;
    }
    await client.updateSource(document.id, { source: pathToFileURL(path).href, fileName: basename(path) });
    yield { type: 'moved', name: path, from: fileURLToPath(document.source), documentId: document.id };
  }
  if (removed.length > 0) await client.deleteDocuments(removed.map(({ id }) => id));
  for (const { id, source } of removed) yield { type: 'removed', name: fileURLToPath(source), documentId: id };
}

/** Another file with the content of a document, which can take over. */
async function duplicateOf(id: string, duplicates: SyncParts['duplicates']): Promise<string | undefined> {
  for (const path of duplicates.get(id) ?? []) {
    duplicates.get(id)?.delete(path);
    if (!(await isGone(path))) return path;
  }
  return undefined;
}

/** True only when the path certainly does not exist; one that cannot be accessed may exist. */
async function isGone(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return false;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ENOENT' || code === 'ENOTDIR';
  }
}

async function isStillThere(root: string): Promise<boolean> {
  const folder = await opendir(root).catch(() => undefined);
  await folder?.close();
  return folder !== undefined;
}

async function isEmpty(root: string): Promise<boolean> {
  for await (const _ of await opendir(root)) return false;
  return true;
}
