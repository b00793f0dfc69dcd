import { ServiceError } from '../../errors.ts';
import type { GitServer } from './git-server.ts';

/** Branches that a message names. */
const NAMED = 10;

/** The commit of a branch or tag, or of the default branch; undefined for a repository that has no commits. */
export async function findTip(
  server: GitServer,
  { url, ref }: { readonly url: string; readonly ref: string | undefined },
  signal: AbortSignal,
): Promise<string | undefined> {
  const wanted = ref === undefined ? ['HEAD'] : [`refs/heads/${ref}`, `refs/tags/${ref}`, ref];
  // Prefixes also bring longer names; a branch comes before a tag of the same name.
  const { refs } = await server.refs(wanted, signal);
  for (const name of wanted) {
    const found = refs.find((each) => each.name === name);
    if (found !== undefined) return found.oid;
  }
  const { refs: all } = await server.refs(['refs/heads/'], signal);
  if (all.length === 0) return undefined;
  const branches = all.slice(0, NAMED).map(({ name }) => name.slice('refs/heads/'.length));
  const known = `There are: ${branches.join(', ')}${all.length > NAMED ? ', …' : ''}.`;
  throw new ServiceError(
    'invalid_request',
    ref === undefined
      ? `${url} has no default branch. Name one as ref. ${known}`
      : `${url} has no branch or tag "${ref}". Its documents are kept. ${known}`,
  );
}
