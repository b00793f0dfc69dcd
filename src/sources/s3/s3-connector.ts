import { AwsV4Signer } from 'aws4fetch';
import { ServiceError } from '../../errors.ts';
import { type ListPage, readListPage, type S3Object } from '../../s3/list-page.ts';
import type { ConnectorParts, Listed, RemoteItem, SourceConnector } from '../connector.ts';
import type { SecretsOf, SettingsOf } from '../fields.ts';
import { mediaTypeOf, readBytes, refusal } from '../http-answers.ts';
import { withRetries } from '../with-retries.ts';
import { withinTime } from '../within-time.ts';
import { readEndpoint, type s3Fields, type s3Secrets, uriOf } from './s3-settings.ts';

type S3Settings = SettingsOf<typeof s3Fields>;
type S3Secrets = SecretsOf<typeof s3Secrets>;

/** A listing page has at most 1,000 keys and is smaller than this. */
const MAX_LIST_BYTES = 5_000_000;
const LIST_TIMEOUT_MS = 60_000;
const READ_TIMEOUT_MS = 600_000;

/** Reads the objects of a bucket; requires permission for ListObjectsV2 and GetObject only. */
export function openS3(settings: S3Settings, secrets: S3Secrets, { network }: ConnectorParts): SourceConnector {
  const { bucket, prefix = '', region = 'us-east-1' } = settings;
  const base = readEndpoint(settings.endpoint ?? `https://s3.${region}.amazonaws.com`);
  const root = `${base.href.replace(/\/$/, '')}/${bucket}`;
  const name = `${bucket} at ${base.host}`;

  async function send(url: URL, signal: AbortSignal): Promise<Response> {
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = secrets;
    // Without credentials the bucket must be public; requests are not signed.
    if (accessKeyId === undefined || secretAccessKey === undefined) {
      return network.fetch(url, { signal, redirect: 'manual' });
    }
    const signed = await new AwsV4Signer({
      url: url.href,
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      ...(sessionToken !== undefined && { sessionToken }),
    }).sign();
    return network.fetch(signed.url, { headers: signed.headers, signal, redirect: 'manual' });
  }

  const listPage = (token: string | undefined, signal: AbortSignal): Promise<ListPage> =>
    withinTime({ name, ms: LIST_TIMEOUT_MS, signal }, async (limited) => {
      const url = new URL(root);
      url.searchParams.set('list-type', '2');
      // Keys may contain characters that XML cannot represent.
      url.searchParams.set('encoding-type', 'url');
      if (prefix !== '') url.searchParams.set('prefix', prefix);
      if (token !== undefined) url.searchParams.set('continuation-token', token);
      const response = await send(url, limited);
      if (!response.ok) throw await refusal(response, name, { whole: true });
      const page = readListPage(new TextDecoder().decode(await readBytes(response, MAX_LIST_BYTES)));
      if (page !== undefined) return page;
      throw new ServiceError('provider_failed', `${name} answered with no listing of a bucket.`);
    });

  return {
    async *list(_cursor, signal): AsyncGenerator<Listed, void> {
      const tokens = new Set<string>();
      for (let token: string | undefined; ; ) {
        const page = await withRetries(() => listPage(token, signal), signal);
        for (const found of page.objects) {
          // Keys that end with a slash are folder placeholders.
          if (found.key.endsWith('/') || !found.key.startsWith(prefix)) continue;
          yield toItem(bucket, found);
        }
        token = page.next;
        if (token === undefined) break;
        if (tokens.has(token)) throw new ServiceError('provider_failed', `${name} lists the same page over and over.`);
        tokens.add(token);
      }
      yield { kind: 'end', covers: 'all' };
    },

    read: ({ key }, { maxBytes, signal }) =>
      withinTime({ name, ms: READ_TIMEOUT_MS, signal }, async (limited) => {
        // The signature covers the path, so it must be encoded exactly once and not normalised.
        const url = new URL(`${root}/${key.split('/').map(encodePart).join('/')}`);
        if (decodeURIComponent(url.pathname) !== `${decodeURIComponent(new URL(root).pathname)}/${key}`) {
          throw new ServiceError('invalid_request', 'Its key has "." or ".." as a part, which no address can say.');
        }
        const response = await send(url, limited);
        if (!response.ok) throw await refusal(response, name, { whole: false });
        const mediaType = mediaTypeOf(response);
        const isKnown = mediaType !== undefined && !GENERIC.has(mediaType);
        return { bytes: await readBytes(response, maxBytes), ...(isKnown && { mediaType }) };
      }),
  };
}

/** Placeholder media types that services report for objects stored without one. */
const GENERIC = new Set(['application/octet-stream', 'binary/octet-stream', 'application/x-www-form-urlencoded']);

const encodePart = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const toItem = (bucket: string, { key, etag, size, modified }: S3Object): RemoteItem => ({
  kind: 'item',
  key,
  version: etag || `${modified} ${size}`,
  size,
  uri: uriOf(bucket, key),
  fileName: key.slice(key.lastIndexOf('/') + 1),
  ...(modified !== '' && { modified }),
});
