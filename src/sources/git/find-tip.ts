import { ServiceError } from '../../errors.ts';
import type { GitServer } from './git-server.ts';

/** Maximum number of branches listed in an error message. */
const NAMED = 10;

/** The commit of a branch or tag, by default the default branch; undefined if the repository has no commits. */
export async function findTip(
  server: GitServer,
  { url, ref }: { readonly url: string; readonly ref: string | undefined },
  signal: AbortSignal,
): Promise<string | undefined> {
  const wanted = ref === undefined ? ['HEAD'] : [`refs/heads/${ref}`, `refs/tags/${ref}`, ref];
  // The server matches prefixes, so longer names are returned too. A branch takes precedence over a tag.
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
