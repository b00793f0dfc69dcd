import type { Dirent } from 'node:fs';
import { glob, lstat, opendir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { fileProblem } from '../../shared/file-problem.ts';
import { isWithin } from '../../shared/is-within.ts';
import { isGenerated } from './is-generated.ts';

/** Why an entry below a folder was skipped. */
export type SkipReason =
  | 'hidden'
  | 'dependencies'
  | 'generated'
  | 'own'
  | 'unsupported'
  | 'picture'
  | 'undecodable'
  | 'recording'
  | 'empty'
  | 'missing'
  | 'linked'
  | 'special';

export type Found =
  /** `isNamed` when the caller named this file itself, and not a folder or glob that contains it. */
  | { readonly kind: 'file'; readonly path: string; readonly sizeInBytes: number; readonly isNamed: boolean }
  | { readonly kind: 'skipped'; readonly path: string; readonly reason: SkipReason }
  /** A file or folder that cannot be read; `problem` says why. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly problem: string };

export interface FindFilesOptions {
  /** Whether to read the file at this path if it was not named explicitly. */
  readonly isSupported: (path: string) => boolean | Promise<boolean>;
  /** Folder of Citewell's own files, which are skipped. */
  readonly dataFolder?: string;
  readonly signal: AbortSignal;
}

export const isGlob = (argument: string): boolean => /[*?[\]{}]/.test(argument);

/**
 * The files of a path or a glob, one at a time, in constant memory. A file that is named explicitly is always yielded;
 * below folders, hidden, generated and unsupported ones are skipped.
 */
export async function* findFiles(argument: string, options: FindFilesOptions): AsyncGenerator<Found, void> {
  const path = resolve(argument);
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new ServiceError('invalid_request', `"${argument}" cannot be read: ${fileProblem(error)}.`, { cause: error });
  });
  if (info?.isFile()) yield { kind: 'file', path, sizeInBytes: info.size, isNamed: true };
  else if (info?.isDirectory()) yield* below(path, options);
  else if (info) throw new ServiceError('invalid_request', `"${argument}" is neither a file nor a folder.`);
  else if (isGlob(argument)) yield* matches(argument, options);
  else if (hasLostName(path)) throw new ServiceError('invalid_request', `"${argument}" cannot be read: ${LOST_NAME}.`);
  else throw new ServiceError('invalid_request', `There is no file or folder "${argument}".`);
}

async function* matches(pattern: string, options: FindFilesOptions): AsyncGenerator<Found, void> {
  let any = false;
  const ignored = (name: string) => basename(name) === 'node_modules';
  for await (const match of glob(pattern, { exclude: ignored })) {
    if (options.signal.aborted) return;
    any = true;
    const path = resolve(match);
    const info = await lstat(path).catch(() => undefined);
    // A "**" also matches the folders it passes through; their files are separate matches.
    if (info?.isDirectory()) continue;
    yield await fileAt(path, options);
  }
  if (!any) throw new ServiceError('invalid_request', `No file matches "${pattern}".`);
}

/** Files looked at together: while a service is busy, each of them alone waits for its turn. */
const FILES_AT_ONCE = 32;

async function* below(folder: string, options: FindFilesOptions): AsyncGenerator<Found, void> {
  if (isOwn(folder, options)) {
    yield { kind: 'skipped', path: folder, reason: 'own' };
    return;
  }
  const files: string[] = [];
  const batch = async (): Promise<readonly Found[]> =>
    Promise.all(files.splice(0).map((path) => fileAt(path, options)));
  for await (const entry of entriesOf(folder)) {
    if (options.signal.aborted) return;
    if ('problem' in entry) {
      yield* await batch();
      yield { kind: 'unreadable', path: folder, ...entry };
      return;
    }
    const path = join(folder, entry.name);
    if (!entry.name.startsWith('.') && !entry.isDirectory()) {
      if (files.push(path) === FILES_AT_ONCE) yield* await batch();
      continue;
    }
    yield* await batch();
    if (entry.name.startsWith('.')) yield { kind: 'skipped', path, reason: 'hidden' };
    else if (entry.name === 'node_modules') yield { kind: 'skipped', path, reason: 'dependencies' };
    else yield* below(path, options);
  }
  yield* await batch();
}

/** The entries of a folder. If reading it fails, for example because a disk was removed, the problem comes last. */
async function* entriesOf(folder: string): AsyncGenerator<Dirent | { readonly problem: string }, void> {
  try {
    yield* await opendir(folder, { bufferSize: FILES_AT_ONCE });
  } catch (error) {
    yield { problem: hasLostName(folder) ? LOST_NAME : fileProblem(error) };
  }
}

// A link to a folder is not followed, to avoid cycles; a link to a file is read like the file.
async function fileAt(path: string, options: FindFilesOptions): Promise<Found> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (info instanceof Error) {
    if (info.code === 'ENOENT' && hasLostName(path)) return { kind: 'unreadable', path, problem: LOST_NAME };
    if (info.code === 'ENOENT' || info.code === 'ENOTDIR') return { kind: 'skipped', path, reason: 'missing' };
    return { kind: 'unreadable', path, problem: fileProblem(info) };
  }
  const skipped = (reason: SkipReason): Found => ({ kind: 'skipped', path, reason });
  if (info.isDirectory()) return skipped('linked');
  if (!info.isFile()) return skipped('special');
  if (isOwn(path, options)) return skipped('own');
  if (info.size === 0) return skipped('empty');
  if (isGenerated(basename(path))) return skipped('generated');
  if (!(await options.isSupported(path))) return skipped('unsupported');
  return { kind: 'file', path, sizeInBytes: info.size, isNamed: false };
}

/**
 * Whether a path that was not found has bytes that are not UTF-8, as Linux allows: they are read as U+FFFD, so the path
 * leads to nothing.
 */
const hasLostName = (path: string): boolean => basename(path).includes('\ufffd');
const LOST_NAME = 'its name is not valid UTF-8; rename it, for example with convmv';

const isOwn = (path: string, { dataFolder }: FindFilesOptions): boolean =>
  dataFolder !== undefined && isWithin(path, dataFolder);
