import { ServiceError } from '../../errors.ts';

export const s3Fields = {
  bucket: { type: 'text', description: 'Name of the bucket', isRequired: true },
  prefix: {
    type: 'text',
    isFixed: true,
    description: 'Only objects whose keys have this prefix',
    example: 'reports/',
  },
  endpoint: {
    type: 'text',
    isFixed: true,
    description: 'Address of the service, if it is not Amazon’s',
    example: 'https://minio.example.org',
  },
  region: { type: 'text', description: 'Region of the bucket (default us-east-1)', example: 'eu-central-1' },
} as const;

export const s3Secrets = {
  access_key_id: { description: 'Name of the access key', variable: 'AWS_ACCESS_KEY_ID' },
  secret_access_key: { description: 'Secret of the access key', variable: 'AWS_SECRET_ACCESS_KEY' },
  session_token: { description: 'Session token of temporary credentials', variable: 'AWS_SESSION_TOKEN' },
} as const;

/** Parses the URL of an S3 service. Throws `invalid_request`. */
export function readEndpoint(endpoint: string): URL {
  const url = URL.parse(endpoint);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (isPlain && url.search === '' && url.hash === '') return url;
  throw new ServiceError('invalid_request', 'The endpoint must be an address such as https://minio.example.org.');
}

/** URI of an object. Dot segments are double-encoded, so that URL parsers do not normalise keys such as `a/../b`. */
export const uriOf = (bucket: string, key: string): string =>
  `s3://${bucket}/${key
    .split('/')
    .map((part) => (/^\.{1,2}$/.test(part) ? part.replaceAll('.', '%252E') : encodeURIComponent(part)))
    .join('/')}`;
