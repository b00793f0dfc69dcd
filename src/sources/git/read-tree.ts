import { ServiceError } from '../../errors.ts';
import type { GitObject, Pack } from './pack.ts';

export interface TreeEntry {
  /** `nameless`: the name is not valid UTF-8, or cannot be used as a path segment. */
  readonly kind: 'file' | 'folder' | 'link' | 'module' | 'nameless';
  readonly name: string;
  readonly oid: string;
}

const KINDS: Readonly<Record<string, TreeEntry['kind']>> = {
  '40000': 'folder',
  '120000': 'link',
  '160000': 'module',
};
const MAX_COMMIT = 1_000_000;

/** The id of the commit's root tree. Throws `invalid_request` if the object is not a commit, as with some tags. */
export function treeOfCommit(pack: Pack, commit: string): string {
  const object = pack.read(commit, MAX_COMMIT);
  if (object === undefined) throw new ServiceError('provider_failed', 'The Git server did not send the commit.');
  const tree = /^tree ([0-9a-f]{40,64})\n/.exec(object.content.toString('latin1', 0, 80))?.[1];
  if (object.type === 'commit' && tree !== undefined) return tree;
  throw new ServiceError('invalid_request', 'The tag does not point to a commit. Name a branch, or another tag.');
}

/** The entries of a tree object. */
export function* readTree(tree: GitObject | undefined, hashBytes: number): Generator<TreeEntry, void> {
  if (tree?.type !== 'tree') throw new ServiceError('provider_failed', 'The Git server did not send a folder.');
  const { content } = tree;
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    const next = end + 1 + hashBytes;
    if (space < 0 || end < 0 || next > content.length) {
      throw new ServiceError('provider_failed', 'What the Git server sent is damaged.');
    }
    const mode = content.toString('latin1', at, space);
    const name = content.toString('utf8', space + 1, end);
    const isName = name !== '' && name !== '.' && name !== '..' && !/[/\uFFFD]/.test(name);
    yield {
      kind: isName ? (KINDS[mode] ?? 'file') : 'nameless',
      name,
      oid: content.toString('hex', end + 1, next),
    };
    at = next;
  }
}
