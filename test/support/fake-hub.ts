import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request for a file: its path in the repository and the requested range. */
export interface HubRequest {
  readonly path: string;
  readonly range: string | undefined;
}

export interface FakeHubOptions {
  readonly repository: string;
  readonly files: Readonly<Record<string, Buffer>>;
  /** Paths of files kept in Git LFS, which have a SHA-256 checksum; all others have a Git object id (SHA-1). */
  readonly large: readonly string[];
  /** Ends the connection once after this many bytes of this file, but not before `arrived` resolves. */
  readonly breaks?: { readonly path: string; readonly after: number; readonly arrived?: () => Promise<unknown> };
  /** Path of a file that is sent with one byte changed, so that its checksum does not match. */
  readonly corrupts?: string;
  readonly ignoresRanges?: boolean;
}

const REVISION = '0123456789abcdef0123456789abcdef01234567';

/** A fake of the Hugging Face hub with one repository. */
export async function startFakeHub(options: FakeHubOptions) {
  const { repository, files, large, breaks, corrupts, ignoresRanges = false } = options;
  const requests: HubRequest[] = [];
  let hasBroken = false;
  const entries = Object.entries(files).map(([path, content]) => ({
    type: 'file',
    path,
    size: content.length,
    oid: createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex'),
    ...(large.includes(path) && {
      lfs: { oid: createHash('sha256').update(content).digest('hex'), size: content.length, pointerSize: 134 },
    }),
  }));
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://hub');
    const json = (value: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (url.pathname === `/api/models/${repository}/revision/main`) return json({ id: repository, sha: REVISION });
    if (url.pathname === `/api/models/${repository}/tree/${REVISION}`) {
      return json([{ type: 'directory', path: 'onnx', size: 0, oid: '0' }, ...entries]);
    }
    const prefix = `/${repository}/resolve/${REVISION}/`;
    const path = decodeURIComponent(url.pathname.slice(prefix.length));
    const content = url.pathname.startsWith(prefix) ? files[path] : undefined;
    if (content === undefined) return response.writeHead(401).end('{"error":"Invalid username or password."}');
    const { range } = request.headers;
    requests.push({ path, range });
    const start = range === undefined || ignoresRanges ? 0 : Number(/\d+/.exec(range)?.[0]);
    const body = Buffer.from(content.subarray(start));
    if (path === corrupts) body[0] = (body[0] ?? 0) ^ 1;
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': body.length });
    if (breaks?.path === path && !hasBroken) {
      hasBroken = true;
      // Ends the connection without a reset, so that the bytes sent so far arrive.
      return response.write(body.subarray(0, breaks.after), async () => {
        // What has not arrived is judged by the test.
        await breaks.arrived?.().catch(() => undefined);
        response.socket?.end();
      });
    }
    return response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, revision: REVISION };
}
