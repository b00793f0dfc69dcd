import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { cutOnFailure } from './cut-on-failure.ts';

/**
 * Serves a bucket named `papers` on loopback: ListObjectsV2, in pages of at most 1,000 like S3, and GetObject, for requests
 * that name this access key.
 */
export async function startBucket(objects: Map<string, string>, key = 'RIGHT') {
  /** If `until` is set, responses wait for it. */
  const state: { key: string; until?: Promise<unknown>; requests: number } = { key, requests: 0 };
  const server = createServer(
    cutOnFailure(async (request, response) => {
      state.requests++;
      await state.until;
      if (!request.headers.authorization?.includes(`Credential=${state.key}/`)) return response.writeHead(403).end();
      const url = new URL(request.url ?? '', 'http://localhost');
      const name = decodeURIComponent(url.pathname.replace(/^\/papers\/?/, ''));
      if (name !== '') return response.writeHead(objects.has(name) ? 200 : 404).end(objects.get(name));
      const prefix = url.searchParams.get('prefix') ?? '';
      const after = url.searchParams.get('continuation-token') ?? '';
      const remaining = [...objects.keys()].filter((each) => each.startsWith(prefix) && each > after).sort();
      const page = remaining.slice(0, MAX_KEYS);
      const entries = page
        .map((each) => [each, objects.get(each) ?? ''] as const)
        .map(
          ([each, text]) =>
            `<Contents><Key>${each}</Key><ETag>${createHash('md5').update(text).digest('hex')}</ETag><Size>${text.length}</Size></Contents>`,
        );
      const next =
        remaining.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
      return response.end(
        `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}${entries.join('')}</ListBucketResult>`,
      );
    }),
  );
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = () => void server.close().closeAllConnections();
  return { port, endpoint: `http://127.0.0.1:${port}`, state, close };
}

const MAX_KEYS = 1_000;

export const keysOf = (name: string) => ({ access_key_id: name, secret_access_key: 'secret' });
