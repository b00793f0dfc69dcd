import { ServiceError } from '../../errors.ts';
import { defineSourceKind } from '../source-kind.ts';
import { readEndpoint, s3Fields, s3Secrets, uriOf } from './s3-settings.ts';

export const s3Kind = defineSourceKind({
  type: 's3',
  title: 'S3-compatible storage',
  schemes: ['s3'],
  example: 's3://bucket/prefix',
  fields: s3Fields,
  secrets: s3Secrets,
  readAddress({ hostname, pathname }) {
    const prefix = decodeURIComponent(pathname.slice(1));
    return { bucket: hostname, ...(prefix !== '' && { prefix }) };
  },
  addressOf({ bucket, prefix = '', endpoint }) {
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes('..')) {
      throw new ServiceError(
        'invalid_request',
        'A bucket’s name has 3 to 63 lower-case letters, digits, dots and dashes.',
      );
    }
    // Bucket names are unique per service only, so the address includes the endpoint.
    const at = endpoint === undefined ? '' : `?endpoint=${encodeURIComponent(readEndpoint(endpoint).host)}`;
    return `${uriOf(bucket, prefix)}${at}`;
  },
  open: async (settings, secrets, parts) => (await import('./s3-connector.ts')).openS3(settings, secrets, parts),
});
