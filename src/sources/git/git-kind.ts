import { ServiceError } from '../../errors.ts';
import { defineSourceKind } from '../source-kind.ts';
import { gitAddress, readGitAddress } from './git-address.ts';

/** The files of a branch or tag of a Git repository, over HTTP. */
export const gitKind = defineSourceKind({
  type: 'git',
  title: 'Git repository',
  schemes: ['git+https', 'git+http'],
  example: 'git+https://github.com/owner/repository.git@main/docs',
  fields: {
    url: {
      type: 'text',
      isRequired: true,
      example: 'https://github.com/owner/repository.git',
      description: 'Address for cloning the repository over HTTPS.',
    },
    ref: { type: 'text', isFixed: true, description: 'Branch or tag (default: the default branch).', example: 'main' },
    folder: { type: 'text', isFixed: true, description: 'Only files below this folder.', example: 'docs' },
    include: {
      type: 'list',
      example: '*.md',
      description: 'Only files that match one of these patterns, such as "*.md" or "docs/**/guide/*".',
    },
    exclude: { type: 'list', description: 'No files that match one of these patterns.', example: 'test/' },
    user: { type: 'text', description: 'User name for the token, if the server requires one.' },
  },
  secrets: {
    token: {
      description: 'Access token that may read the repository, or a password; none for a public one.',
      variable: 'CITEWELL_SOURCE_TOKEN',
    },
  },
  readAddress: readGitAddress,
  addressOf({ user, ...settings }) {
    if (user !== undefined && /^(gh[a-z]_|github_pat_|glpat-)/.test(user)) {
      throw new ServiceError('invalid_request', 'user: this is a token. Give it as a credential, which is encrypted.');
    }
    return gitAddress(settings);
  },
  async open({ url, ref, folder = '', include = [], exclude = [], user }, { token }, { network }) {
    const { createGitConnector } = await import('./git-connector.ts');
    const address = gitAddress({ url, ref });
    return createGitConnector({ address, url, ref, folder, include, exclude, user, token, network });
  },
});
