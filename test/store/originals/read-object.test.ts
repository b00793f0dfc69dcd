import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { newObjectName } from '../../../src/store/originals/object-name.ts';
import type { ObjectStore, ReadOptions } from '../../../src/store/originals/object-store.ts';
import { readObject, streamObject } from '../../../src/store/originals/read-object.ts';
import { openS3Objects } from '../../../src/store/originals/s3/s3-objects.ts';

const bytes = Buffer.from('Ferries leave the harbour of Skerry at noon.');
const object = newObjectName({ hash: createHash('sha256').update(bytes).digest('hex'), size: bytes.byteLength });

/** A storage whose answers break off after so many bytes each. */
function breaking(lengths: readonly number[], stored = bytes) {
  const asked: ReadOptions[] = [];
  const get: ObjectStore['get'] = async (_, options = {}) => {
    asked.push(options);
    const { start, end } = options.range ?? { start: 0, end: stored.byteLength - 1 };
    const length = lengths[asked.length - 1] ?? Number.POSITIVE_INFINITY;
    return (async function* () {
      const piece = stored.subarray(start, Math.min(end + 1, start + length));
      if (piece.byteLength > 0) yield piece;
      if (length !== Number.POSITIVE_INFINITY) throw new Error('the connection broke');
    })();
  };
  const objects: ObjectStore = {
    place: 's3://x',
    name: 's3://x at y',
    get,
    put: async () => {},
    remove: async () => {},
    async *list() {},
    problem: async () => undefined,
  };
  return { objects, ranges: () => asked.map(({ range }) => range && [range.start, range.end]) };
}

/** Answers requests as a service of S3 would not. */
async function answering(listener: RequestListener) {
  const server = createServer(listener);
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const key = { accessKeyId: 'key', secretAccessKey: 'secret' };
  return openS3Objects({ bucket: 'b', prefix: '', region: 'us-east-1', endpoint, ...key }, { pausesMs: [1, 1, 1] });
}

it('lists objects page by page', async () => {
  const asked: (string | null)[] = [];
  const objects = await answering(({ url }, response) => {
    const token = new URL(url ?? '', 'http://x').searchParams.get('continuation-token');
    asked.push(token);
    const next = token === null ? '<NextContinuationToken>a&amp;b=</NextContinuationToken>' : '';
    const isTruncated = `<IsTruncated>${token === null}</IsTruncated>`;
    const keys = token === null ? ['0a', '0b'] : ['0c'];
    const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
    response.end(`<ListBucketResult xmlns="x">${isTruncated}${contents}${next}</ListBucketResult>`);
  });
  expect(await Array.fromAsync(objects.list('0'))).toEqual(['0a', '0b', '0c']);
  expect(asked).toEqual([null, 'a&b=']);
});

it('continues a read that breaks off, and gives up after several without a byte', async () => {
  const last = bytes.byteLength - 1;
  const broken = breaking([10, 0, 0, 7]);
  expect(Buffer.from(await readObject(broken.objects, object)).equals(bytes)).toBe(true);
  expect(broken.ranges()).toEqual([undefined, [10, last], [10, last], [10, last], [17, last]]);
  const part = breaking([2]);
  const pieces = await Array.fromAsync(streamObject(part.objects, object, { range: { start: 4, end: 9 } }));
  expect(Buffer.concat(pieces).toString()).toBe(bytes.subarray(4, 10).toString());
  const dead = breaking([5, 0, 0, 0]);
  await expect(readObject(dead.objects, object)).rejects.toThrow('the connection broke');
  await expect(readObject(breaking([], Buffer.concat([bytes, bytes])).objects, object)).rejects.toThrow(/damaged/);
});

it('calls an object damaged that is shorter or longer than its name states', async () => {
  const short = breaking([], bytes.subarray(0, 20));
  await expect(readObject(short.objects, object)).rejects.toThrow(/is damaged: it ends after 20 of 44 bytes/);
  expect(short.ranges()).toEqual([undefined]);
  const pieces = [bytes, bytes, bytes];
  const { objects } = breaking([]);
  const long: ObjectStore = { ...objects, get: async () => Readable.from(pieces) };
  await expect(readObject(long, object)).rejects.toThrow(/is damaged: it is longer than 44 bytes/);
});

it('retries requests after transient failures, and aborts a multipart upload that was not completed', async () => {
  const seen: string[] = [];
  const objects = await answering((request, response) => {
    const url = request.url ?? '';
    seen.push(`${request.method} ${url.replace(/uploadId=\w+/, 'uploadId')}`);
    request.resume().on('end', () => {
      if (seen.length <= 2) response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      else if (url.endsWith('?uploads=')) response.end('<R><UploadId>abc</UploadId></R>');
      else if (request.method === 'PUT') response.writeHead(200, { etag: '"tag"' }).end();
      // Services send the status before they know.
      else if (request.method === 'POST') response.end('<Error><Code>InternalError</Code></Error>');
      else response.writeHead(204).end();
    });
  });
  await expect(objects.put(object, Buffer.alloc(17 * 1024 * 1024))).rejects.toMatchObject({
    message: expect.stringMatching(/multipart upload .* failed \(InternalError\)/),
    retryAfter: 30,
  });
  expect(seen.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => `POST /b/${object}?uploads=`));
  expect(seen.slice(3, 5).sort()).toEqual([1, 2].map((part) => `PUT /b/${object}?partNumber=${part}&uploadId`));
  expect(seen.slice(5)).toEqual([`POST /b/${object}?uploadId`, `DELETE /b/${object}?uploadId`]);
});

it('refuses a service that ignores ranges, and one that ends its answer early', async () => {
  const whole = await answering((request, response) => void request.resume().on('end', () => response.end(bytes)));
  await expect(whole.get(object, { range: { start: 1, end: 2 } })).rejects.toThrow(/does not support range requests/);
  const short = await answering((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-length': bytes.byteLength });
    response.write(bytes.subarray(0, 5), () => response.destroy());
  });
  const pieces = await short.get(object);
  await expect(Array.fromAsync(pieces ?? [])).rejects.toThrow(/s3:\/\/b at .* does not answer/);
});
