export interface S3Place {
  readonly bucket: string;
  /** Prefix of object keys; empty, or without leading and trailing slashes. */
  readonly prefix: string;
}

/** Where objects are stored, and with which credentials. */
export interface S3Settings extends S3Place {
  /** URL of the service, without a trailing slash. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export const placeOf = ({ bucket, prefix }: S3Place): string => `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;

/** Includes the host, because different services may have buckets of the same name. */
export const nameOfPlace = (settings: S3Place & Pick<S3Settings, 'endpoint'>): string =>
  `${placeOf(settings)} at ${new URL(settings.endpoint).host}`;

/** Parses `s3://bucket/prefix`; undefined if the text has another form. */
export function readPlace(text: string): S3Place | undefined {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]+)(\/.*)?$/.exec(text) ?? [];
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes('..')) return undefined;
  const prefix = path.replace(/^\/+|\/+$/g, '');
  // Only prefixes that need no encoding in a URL and that URL normalisation leaves unchanged.
  const parts = prefix === '' ? [] : prefix.split('/');
  return parts.every((part) => /^[\w.-]+$/.test(part) && !/^\.{1,2}$/.test(part)) ? { bucket, prefix } : undefined;
}
