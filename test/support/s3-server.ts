import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { openS3Objects } from '../../src/store/originals/s3/s3-objects.ts';
import type { S3Settings } from '../../src/store/originals/s3/s3-settings.ts';

type Content = Buffer | Readable;

interface Written {
  readonly size: number;
  readonly md5: string;
}

interface Store {
  getResourcePath(bucket: string, key: string | undefined, resource: string): string;
  putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>;
  putObject(object: {
    readonly bucket: string;
    readonly key: string;
    readonly content: Content;
    readonly metadata: object;
  }): Promise<Written>;
  putPart(bucket: string, uploadId: string, part: number, content: Content): Promise<Written>;
}

interface S3Rver {
  readonly httpServer: Server;
  readonly store: Store;
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}

const BUCKET = 'originals';

/**
 * An S3 server with one bucket. It verifies the SHA-256 and length of request bodies, but not signatures. It can be
 * stopped and started again at the same address.
 */
export async function startS3Server(directory: string) {
  const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => S3Rver;
  let port = 0;
  let server: S3Rver | undefined;
  const start = async () => {
    if (server !== undefined) return;
    const options = { port, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: BUCKET }] };
    server = new S3rver(options);
    writeBeforeAnswering(server.store);
    ({ port } = await server.run());
  };
  const stop = async () => {
    const stopped = server;
    server = undefined;
    stopped?.httpServer.closeAllConnections();
    await stopped?.close();
  };
  await start();
  const settings = (prefix: string, more: Partial<S3Settings> = {}): S3Settings => ({
    bucket: BUCKET,
    prefix,
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    ...more,
  });
  const folder = (prefix: string) => join(directory, BUCKET, prefix);
  const suffix = '._S3rver_object';
  return {
    start,
    stop,
    settings,
    endpoint: () => `http://127.0.0.1:${port}`,
    open: (prefix: string, more?: Partial<S3Settings>) =>
      openS3Objects(settings(prefix, more), { pausesMs: [1, 1, 1] }),
    /** Names of the objects on the server's disk, without the marker object. */
    async list(prefix: string): Promise<string[]> {
      const names = await readdir(folder(prefix)).catch(() => []);
      const objects = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
      return objects.filter((name) => name !== 'citewell.json').sort();
    },
    async damage(prefix: string, object: string): Promise<void> {
      const path = join(folder(prefix), `${object}${suffix}`);
      const bytes = await readFile(path);
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      await writeFile(path, bytes);
    },
  };
}

/**
 * s3rver confirms an object before its file is written, and does not listen for errors of the file: one whose folder the
 * deletion of another object has removed meanwhile would end the process.
 */
function writeBeforeAnswering(store: Store): void {
  const write = async (path: string, content: Content): Promise<Written> => {
    const bytes = Buffer.isBuffer(content) ? content : await buffer(content);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    return { size: bytes.byteLength, md5: createHash('md5').update(bytes).digest('hex') };
  };
  store.putObject = async ({ bucket, key, content, metadata }) => {
    const written = await write(store.getResourcePath(bucket, key, 'object'), content);
    await store.putMetadata(bucket, key, metadata, written.md5);
    return written;
  };
  store.putPart = async (bucket, uploadId, part, content) => {
    const path = join(store.getResourcePath(bucket, undefined, 'uploads'), uploadId, `${part}`);
    const written = await write(path, content);
    await writeFile(`${path}.md5`, written.md5);
    return written;
  };
}

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

/** A server that answers every request with the same response, and counts the requests. */
export async function startAnswering(status: number, body: string) {
  let count = 0;
  const server = createServer((request, response) => {
    count++;
    request.resume().on('end', () => response.writeHead(status, { 'content-type': 'application/xml' }).end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    count: () => count,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()),
  };
}
