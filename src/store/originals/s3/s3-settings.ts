export interface S3Place {
  readonly bucket: string;
  /** Before the names of objects; empty, or without slashes at its ends. */
  readonly prefix: string;
}

/** Where objects are stored, and with which key. */
export interface S3Settings extends S3Place {
  /** Address of the service, without a slash at its end. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export const placeOf = ({ bucket, prefix }: S3Place): string => `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;

/** With the host of the service: buckets of the same name at different services are different ones. */
export const nameOfPlace = (settings: S3Place & Pick<S3Settings, 'endpoint'>): string =>
  `${placeOf(settings)} at ${new URL(settings.endpoint).host}`;

/** Reads `s3://bucket/prefix`; undefined where it is none. */
export function readPlace(text: string): S3Place | undefined {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]+)(\/.*)?$/.exec(text) ?? [];
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes('..')) return undefined;
  const prefix = path.replace(/^\/+|\/+$/g, '');
  // What an address can say without encoding, and cannot normalise.
  const parts = prefix === '' ? [] : prefix.split('/');
  return parts.every((part) => /^[\w.-]+$/.test(part) && !/^\.{1,2}$/.test(part)) ? { bucket, prefix } : undefined;
}
