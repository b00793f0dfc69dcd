import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

/** Serves a bucket named `papers` on loopback: ListObjectsV2 and GetObject, for requests that name this access key. */
export async function startBucket(objects: Map<string, string>, key = 'RIGHT') {
  /** If `until` is set, responses wait for it. */
  const state: { key: string; until?: Promise<unknown> } = { key };
  const server = createServer(async (request, response) => {
    await state.until;
    if (!request.headers.authorization?.includes(`Credential=${state.key}/`)) return response.writeHead(403).end();
    const url = new URL(request.url ?? '', 'http://localhost');
    const name = decodeURIComponent(url.pathname.replace(/^\/papers\/?/, ''));
    if (name !== '') return response.writeHead(objects.has(name) ? 200 : 404).end(objects.get(name));
    const prefix = url.searchParams.get('prefix') ?? '';
    const listed = [...objects].filter(([each]) => each.startsWith(prefix));
    const entries = listed.map(
      ([each, text]) =>
        `<Contents><Key>${each}</Key><ETag>${createHash('md5').update(text).digest('hex')}</ETag><Size>${text.length}</Size></Contents>`,
    );
    return response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${entries.join('')}</ListBucketResult>`);
  });
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = () => void server.close().closeAllConnections();
  return { port, endpoint: `http://127.0.0.1:${port}`, state, close };
}

export const keysOf = (name: string) => ({ access_key_id: name, secret_access_key: 'secret' });
