import { defineSourceKind } from '../source-kind.ts';
import { readWebdavAddress, webdavAddress } from './webdav-address.ts';

/** A folder of a WebDAV server, such as one of Nextcloud or ownCloud. */
export const webdavKind = defineSourceKind({
  type: 'webdav',
  title: 'WebDAV, Nextcloud, ownCloud',
  schemes: ['davs', 'webdavs', 'dav', 'webdav'],
  example: 'davs://ann@cloud.example.org/remote.php/dav/files/ann/Documents',
  fields: {
    url: {
      type: 'text',
      isRequired: true,
      example: 'https://cloud.example.org/remote.php/dav/files/ann/Documents',
      description: 'Address of the folder; for Nextcloud and ownCloud, also the one in the browser.',
    },
    user: { type: 'text', description: 'User name; none for a public share.', example: 'ann' },
    include: {
      type: 'list',
      example: '*.pdf',
      description: 'Only files that match one of these patterns, such as "*.pdf" or "reports/**/2026/*".',
    },
    exclude: { type: 'list', description: 'No files that match one of these patterns.', example: 'archive/' },
  },
  secrets: {
    password: {
      description: 'Password; an app password if the server has them.',
      variable: 'CITEWELL_SOURCE_PASSWORD',
    },
  },
  readAddress: readWebdavAddress,
  addressOf: ({ url, user }) => webdavAddress({ url, user }).address,
  async open({ url, user, include = [], exclude = [] }, { password }, { network }) {
    const { createWebdavConnector } = await import('./webdav-connector.ts');
    return createWebdavConnector({ ...webdavAddress({ url, user }), include, exclude, user, password, network });
  },
});
