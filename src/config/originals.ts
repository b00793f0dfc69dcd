import type { z } from 'zod';
import type { FieldIssue } from '../errors.ts';
import { withoutFinalSlashes } from '../shared/text.ts';
import type { S3Place, S3Settings } from '../store/originals/s3/s3-settings.ts';
import { issue } from './issue.ts';
import type { variables } from './variables.ts';

type Values = z.output<typeof variables>;

export interface OriginalsConfig {
  /** Where uploaded files are stored; undefined means in the database. */
  readonly place?: S3Place;
  /** Endpoint and credentials of S3 storage; undefined without an access key. */
  readonly access?: Omit<S3Settings, keyof S3Place>;
}

export function originalsConfig(value: Values): OriginalsConfig {
  const { CITEWELL_ORIGINALS: place, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = value;
  const region = value.CITEWELL_ORIGINALS_REGION ?? value.AWS_REGION ?? 'us-east-1';
  const endpoint = value.CITEWELL_ORIGINALS_ENDPOINT ?? `https://s3.${region}.amazonaws.com`;
  return {
    ...(place !== undefined && place !== 'database' && { place }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && {
        access: {
          region,
          accessKeyId,
          secretAccessKey,
          endpoint: withoutFinalSlashes(endpoint),
          ...(value.AWS_SESSION_TOKEN !== undefined && { sessionToken: value.AWS_SESSION_TOKEN }),
        },
      }),
  };
}

/** Issues for storage settings that are missing or invalid. */
export function originalsIssues(value: Values): FieldIssue[] {
  const complaints: FieldIssue[] = [];
  const { CITEWELL_ORIGINALS: place, CITEWELL_ORIGINALS_ENDPOINT: endpoint } = value;
  if (endpoint !== undefined) {
    const { username, password, search, hash } = new URL(endpoint);
    if (username !== '' || password !== '' || search !== '' || hash !== '') {
      const message = 'expected an address such as https://minio.example.org, without a user, password or query';
      complaints.push(issue('CITEWELL_ORIGINALS_ENDPOINT', message));
    }
  }
  if (place === undefined || place === 'database') return complaints;
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const) {
    if (value[name] === undefined) {
      complaints.push(issue(name, 'is missing: the storage of CITEWELL_ORIGINALS is used with an access key'));
    }
  }
  return complaints;
}
