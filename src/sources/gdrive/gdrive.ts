import { ServiceError } from '../../errors.ts';
import { defineSourceKind } from '../source-kind.ts';
import type { GoogleAccount } from './google-token.ts';

/** A Google Drive folder with everything below it, or a shared drive. */
export const gdriveKind = defineSourceKind({
  type: 'gdrive',
  title: 'Google Drive',
  schemes: ['gdrive'],
  example: 'gdrive://1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g',
  fields: {
    folder: {
      type: 'text',
      isRequired: true,
      example: '1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g',
      description: 'The last part of the URL of a folder or shared drive; `root` is My Drive.',
    },
    user: {
      type: 'text',
      example: 'ann@example.org',
      description: 'E-mail address of the user that a service account acts for, with domain-wide delegation.',
    },
  },
  secrets: {
    service_account_key: {
      description: 'Key of a service account: the content of its JSON file.',
      isLong: true,
      variable: 'GOOGLE_SERVICE_ACCOUNT_KEY',
    },
    client_id: { description: 'Id of an OAuth client, instead of a service account.', variable: 'GOOGLE_CLIENT_ID' },
    client_secret: { description: 'Secret of the OAuth client.', variable: 'GOOGLE_CLIENT_SECRET' },
    refresh_token: {
      description: 'Refresh token of a user for the OAuth client, with the scope drive.readonly.',
      variable: 'GOOGLE_REFRESH_TOKEN',
    },
  },
  readAddress: ({ hostname }) => ({ folder: hostname }),
  addressOf: ({ folder }) => addressOf(folder),
  async open({ folder, user }, secrets, { network }) {
    const account = accountOf(secrets, user);
    const { createDriveConnector } = await import('./drive-connector.ts');
    return createDriveConnector({ folder, address: addressOf(folder), account, network });
  },
});

function addressOf(folder: string): string {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(folder)) {
    throw new ServiceError(
      'invalid_request',
      'folder: expected the last part of its address in the browser, such as 1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g.',
    );
  }
  return `gdrive://${folder}`;
}

interface DriveSecrets {
  readonly service_account_key: string | undefined;
  readonly client_id: string | undefined;
  readonly client_secret: string | undefined;
  readonly refresh_token: string | undefined;
}

function accountOf(secrets: DriveSecrets, user: string | undefined): GoogleAccount {
  const { service_account_key: key, client_id: clientId, client_secret: clientSecret, refresh_token: token } = secrets;
  const isClient = clientId !== undefined && clientSecret !== undefined && token !== undefined;
  if (key !== undefined && (clientId ?? clientSecret ?? token) === undefined) {
    return { kind: 'service_account', key, user };
  }
  if (key === undefined && isClient && user === undefined) {
    return { kind: 'client', clientId, clientSecret, refreshToken: token };
  }
  throw new ServiceError(
    'unauthenticated',
    user !== undefined && key === undefined
      ? 'user: only a service account acts for others.'
      : 'Google Drive needs either service_account_key, or client_id, client_secret and refresh_token.',
  );
}
