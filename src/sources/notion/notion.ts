import { ServiceError } from '../../errors.ts';
import { defineSourceKind } from '../source-kind.ts';

/** The pages of a Notion workspace that are shared with an integration. */
export const notionKind = defineSourceKind({
  type: 'notion',
  title: 'Notion',
  schemes: ['notion'],
  example: 'notion://team-wiki',
  fields: {
    name: {
      type: 'text',
      isRequired: true,
      example: 'team-wiki',
      description: 'A name of your choice for the workspace: letters, digits, dots and dashes.',
    },
  },
  secrets: {
    token: {
      description: 'Token of an integration with which the pages are shared.',
      variable: 'CITEWELL_SOURCE_TOKEN',
      isRequired: true,
    },
  },
  readAddress: ({ hostname }) => ({ name: hostname }),
  addressOf: ({ name }) => addressOf(name),
  async open({ name }, { token }, { network }) {
    const { createNotionConnector } = await import('./notion-connector.ts');
    return createNotionConnector({ address: addressOf(name), token, network });
  },
});

function addressOf(name: string): string {
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(name)) {
    throw new ServiceError('invalid_request', 'name: expected letters, digits, dots and dashes, as in team-wiki.');
  }
  return `notion://${name}`;
}
