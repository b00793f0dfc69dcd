import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { Listed, ReadOptions, RemoteContent, RemoteItem, RemoteNetwork, SourceConnector } from '../connector.ts';
import { matchesPattern } from '../path-patterns.ts';
import { withRetries } from '../with-retries.ts';
import { findTip } from './find-tip.ts';
import { createGitServer } from './git-server.ts';
import { type Pack, readPack } from './pack.ts';
import { createPeriodicYield } from './periodic-yield.ts';
import { readTree, treeOfCommit } from './read-tree.ts';
import { webAddress } from './web-address.ts';

export interface GitSource {
  /** Base of the document URIs; includes the branch. */
  readonly address: string;
  readonly url: string;
  readonly ref: string | undefined;
  readonly folder: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly user: string | undefined;
  readonly token: string | undefined;
  readonly network: RemoteNetwork;
}

/** Maximum bytes of a commit with its trees; the larger limit applies if the server cannot omit the files. */
const MAX_TREES_BYTES = 128_000_000;
const MAX_WHOLE_BYTES = 256_000_000;
const MAX_TREE = 32_000_000;
/** Maximum number of visited entries: a tiny repository that reuses trees can expand to exponentially many paths. */
const MAX_NAMES = 5_000_000;
/** Maximum bytes of files fetched in one request; the files of a larger group are fetched one by one. */
const MAX_GROUP_BYTES = 32_000_000;
const PER_GROUP = 100;
/** Allowance for the overhead of packing and compression. */
const SLACK_BYTES = 1_000_000;
const LFS_POINTER = 'version https://git-lfs.github.com/spec/';

interface Snapshot {
  readonly commit: string;
  readonly pack: Pack;
}

interface Group {
  readonly oids: readonly string[];
  /** Resolves with undefined if the group is too large or a file no longer exists; then each is fetched on its own. */
  pack?: Promise<Pack | undefined>;
}

/**
 * One request determines whether the branch points to a new commit. If so, its trees are fetched, which list all files
 * with their content hashes, and then the changed files. Renames, deletions and rewritten histories need no special
 * treatment.
 */
export function createGitConnector(source: GitSource): SourceConnector {
  const { address, url, folder, include, exclude } = source;
  const server = createGitServer(source);
  const start = folder.split('/').filter((part) => part !== '');
  const chosen = createHash('sha256')
    .update(JSON.stringify([url, folder, include, exclude]))
    .digest('hex')
    .slice(0, 16);
  let snapshot: Snapshot | undefined;
  let groups = new Map<string, Group>();

  async function fetchCommit(commit: string, signal: AbortSignal): Promise<Snapshot> {
    const { hash, filters } = await server.capabilities(signal);
    const maxBytes = filters ? MAX_TREES_BYTES : MAX_WHOLE_BYTES;
    const request = { wants: [commit], isShallow: true, withoutFiles: filters, maxBytes };
    return { commit, pack: await readPack(await server.fetch(request, signal), hash, signal) };
  }

  async function fetchFiles(wanted: readonly string[], maxBytes: number, signal: AbortSignal): Promise<Pack> {
    const { hash } = await server.capabilities(signal);
    return readPack(await server.fetch({ wants: wanted, maxBytes }, signal), hash, signal);
  }

  async function* walk(
    { commit, pack }: Snapshot,
    hashBytes: number,
    signal: AbortSignal,
  ): AsyncGenerator<Listed, void> {
    const yieldToEventLoop = createPeriodicYield(signal);
    const waiting = [{ path: '', oid: treeOfCommit(pack, commit) }];
    let names = 0;
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const { path, oid } = at;
      for (const entry of readTree(pack.read(oid, MAX_TREE), hashBytes)) {
        await yieldToEventLoop();
        if (++names > MAX_NAMES)
          throw new ServiceError('too_large', 'The repository has too many files. Follow a folder.');
        const name = path === '' ? entry.name : `${path}/${entry.name}`;
        const leadsToFolder = start.every((part, index) => (name.split('/')[index] ?? part) === part);
        if (!leadsToFolder || exclude.some((pattern) => matchesPattern(name, pattern))) continue;
        if (entry.kind === 'folder') {
          waiting.push({ path: name, oid: entry.oid });
          continue;
        }
        const isBelow = name.split('/').length > start.length;
        if (!isBelow || (include.length > 0 && !include.some((pattern) => matchesPattern(name, pattern)))) continue;
        if (entry.kind === 'file') yield toItem(commit, name, entry.oid);
        else yield { kind: 'skipped', key: name, reason: REASONS[entry.kind] };
      }
    }
  }

  const toItem = (commit: string, path: string, oid: string): RemoteItem => {
    const link = webAddress(url, commit, path);
    return {
      kind: 'item',
      key: path,
      version: oid,
      fileName: path.slice(path.lastIndexOf('/') + 1),
      uri: `${address}/${path.split('/').map(encodeURIComponent).join('/')}`,
      ...(link !== undefined && { link }),
    };
  };

  async function* list(cursor: string | undefined, signal: AbortSignal): AsyncGenerator<Listed, void> {
    const tip = await withRetries(() => findTip(server, source, signal), signal);
    // The repository has no commits.
    if (tip === undefined) return yield { kind: 'end', covers: 'all' };
    const next = `${tip} ${chosen}`;
    if (cursor === next) return yield { kind: 'end', covers: 'changes', cursor };
    if (snapshot?.commit !== tip) snapshot = await withRetries(() => fetchCommit(tip, signal), signal);
    const { hash } = await server.capabilities(signal);
    requireFolder(snapshot, hash === 'sha1' ? 20 : 32);
    yield* walk(snapshot, hash === 'sha1' ? 20 : 32, signal);
    yield { kind: 'end', covers: 'all', cursor: next };
  }

  function requireFolder({ commit, pack }: Snapshot, hashBytes: number): void {
    let oid = treeOfCommit(pack, commit);
    for (const part of start) {
      const entries = [...readTree(pack.read(oid, MAX_TREE), hashBytes)];
      const found = entries.find(({ kind, name }) => kind === 'folder' && name === part);
      if (found === undefined) {
        const at = source.ref ?? 'the default branch';
        throw new ServiceError('invalid_request', `There is no folder ${folder} in ${at}. Its documents are kept.`);
      }
      oid = found.oid;
    }
  }

  async function packWith(oid: string, { maxBytes, signal }: ReadOptions): Promise<Pack> {
    if (snapshot?.pack.has(oid)) return snapshot.pack;
    const group = groups.get(oid);
    if (group !== undefined) {
      group.pack ??= fetchFiles(group.oids, MAX_GROUP_BYTES, signal).catch((error: unknown) => {
        // Fall back to single requests, so that only the missing or oversized file fails.
        if (error instanceof ServiceError && ['too_large', 'not_found'].includes(error.code)) return undefined;
        delete group.pack;
        throw error;
      });
      const pack = await group.pack;
      if (pack?.has(oid)) return pack;
    }
    return fetchFiles([oid], maxBytes + SLACK_BYTES, signal);
  }

  return {
    list,
    prepare(items) {
      const oids = [...new Set(items.map(({ version }) => version))];
      groups = new Map();
      for (let at = 0; at < oids.length; at += PER_GROUP) {
        const group: Group = { oids: oids.slice(at, at + PER_GROUP) };
        for (const oid of group.oids) groups.set(oid, group);
      }
    },
    async read({ version }, options): Promise<RemoteContent> {
      const pack = await packWith(version, options);
      const object = pack.read(version, options.maxBytes);
      if (object?.type !== 'blob') throw new ServiceError('provider_failed', 'The Git server did not send this file.');
      if (object.content.length < 1000 && object.content.toString('latin1').startsWith(LFS_POINTER)) {
        throw new ServiceError('unsupported_type', 'Its content is kept in Git LFS, which is not read.');
      }
      // Copied, so that one file does not keep the memory of the whole group alive.
      return { bytes: Buffer.from(object.content) };
    },
  };
}

const REASONS = {
  link: 'It is a symbolic link, which is not followed.',
  module: 'It is a submodule. Add its repository as a source of its own.',
  nameless: 'Its name is not valid UTF-8 or is not a valid path segment.',
} as const;
