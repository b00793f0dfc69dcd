import { ServiceError } from '../../errors.ts';
import { percentDecoded } from '../../shared/text.ts';

interface Place {
  readonly url: string;
  readonly ref?: string | undefined;
  readonly folder?: string | undefined;
}

/** Parses `git+https://host/owner/repository.git@branch/folder`; slashes in a branch are encoded as %2F. */
export function readGitAddress(address: URL): Partial<Place> & { readonly user?: string } {
  const parts = address.pathname.split('/');
  const last = parts.findIndex((part) => /\.git(@|$)/.test(part) || part.indexOf('@') > 0);
  // Only `.git` or a branch marks the end of the repository's path; without either there is no folder part.
  const repository = parts.slice(0, last < 0 ? parts.length : last + 1);
  const folder = (last < 0 ? [] : parts.slice(last + 1)).map(percentDecoded).join('/').replace(/\/$/, '');
  const [, name = '', ref] = /^(.*?)(?:@([^@]+))?$/.exec(repository.at(-1) ?? '') ?? [];
  const path = [...repository.slice(0, -1), name].join('/').replace(/\/$/, '');
  return {
    url: `${address.protocol.slice('git+'.length)}//${address.host}${path}`,
    ...(ref !== undefined && ref !== 'HEAD' && { ref: percentDecoded(ref) }),
    ...(folder !== '' && { folder }),
    ...(address.username !== '' && { user: percentDecoded(address.username) }),
  };
}

/** Formats the address of a repository with an optional branch and folder. Throws `invalid_request`. */
export function gitAddress({ url, ref, folder = '' }: Place): string {
  const parsed = URL.parse(url);
  const isPlain = parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.search === '' && parsed.hash === '';
  if (!isPlain || parsed.username !== '' || parsed.password !== '' || parsed.pathname.length < 2) {
    const example = 'https://github.com/owner/repository.git';
    throw new ServiceError('invalid_request', `url: expected an address such as ${example}, without credentials.`);
  }
  if (ref !== undefined && (!/^[^\s~^:?*[\\]+$/.test(ref) || ref.includes('..') || ref.startsWith('-'))) {
    throw new ServiceError('invalid_request', `ref: "${ref.slice(0, 80)}" is not the name of a branch or tag.`);
  }
  const parts = folder.split('/').filter((part) => part !== '');
  if (parts.some((part) => part === '.' || part === '..')) {
    throw new ServiceError('invalid_request', 'folder: expected a path in the repository, such as docs.');
  }
  const base = `git+${parsed.href.replace(/\/$/, '')}`;
  const at = ref !== undefined ? `@${encodeURIComponent(ref)}` : base.endsWith('.git') || folder === '' ? '' : '@HEAD';
  return [`${base}${at}`, ...parts.map(encodeURIComponent)].join('/');
}
