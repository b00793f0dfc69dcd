import { expect, it } from 'vitest';
import { httpIngest } from '../../src/cli/ingest-client.ts';
import type { ServerCalls } from '../../src/cli/server-calls.ts';
import { ServiceError } from '../../src/errors.ts';

const ID = '5f6a1400-1832-51bf-916c-9a3416e4275c';
const item = {
  source: 'file:///in/rules.md',
  fileName: 'rules.md',
  bytes: new TextEncoder().encode('Dogs travel free.'),
  metadata: {},
  collections: [],
};

const record = {
  id: ID,
  title: 'rules.md',
  document_type: 'md',
  ingestion_status: 'parsing',
  size_in_bytes: 17,
  collection_ids: [],
  metadata: {},
  created_at: '2026-01-02T03:04:05Z',
  updated_at: '2026-01-02T03:04:05Z',
};

async function* nothing() {}

/** A client of a server that refuses the upload, and then has the document or does not. */
function clientOf(refusal: ServiceError, hasDocument: boolean) {
  const call: ServerCalls['call'] = async (method, path) => {
    if (method === 'POST') throw refusal;
    if (path.includes('of-source')) return { results: { document_id: ID, document: null } };
    if (!hasDocument) throw new ServiceError('not_found', 'There is no such document.');
    return { results: record };
  };
  return httpIngest({ call }, { stream: nothing });
}

it('counts a file that another command submits at the same time as a duplicate, not as a failure', async () => {
  const resubmitted = new ServiceError('conflict', `Document ${ID} was submitted again while it was being ingested.`);
  const { signal } = new AbortController();
  await expect(clientOf(resubmitted, true).ingest(item, signal)).resolves.toEqual({
    outcome: 'duplicate',
    documentId: ID,
  });
  await expect(clientOf(resubmitted, false).ingest(item, signal)).resolves.toMatchObject({ outcome: 'failed' });
  const broken = new ServiceError('invalid_request', 'rules.md cannot be read.');
  await expect(clientOf(broken, true).ingest(item, signal)).resolves.toMatchObject({
    outcome: 'failed',
    reason: broken.message,
  });
});

it('uploads a file whose name has control characters under a name without them', async () => {
  const names: string[] = [];
  const call: ServerCalls['call'] = async (method, _path, options) => {
    if (method === 'GET') return { results: { document_id: ID, document: null } };
    const body = options?.body;
    const file = body instanceof FormData ? body.get('file') : null;
    if (file instanceof File) names.push(file.name);
    return { results: { document_id: ID } };
  };
  const { ingest } = httpIngest({ call }, { stream: nothing });
  const { signal } = new AbortController();
  await expect(ingest({ ...item, fileName: 'a\u001b[31mred\n\u007f.md' }, signal)).resolves.toMatchObject({
    outcome: 'ingested',
  });
  expect(names).toEqual(['a [31mred  .md']);
});

it('sends every file to a server of an earlier version, which cannot say what is unchanged', async () => {
  const ask = (refusal: ServiceError) =>
    clientOf(refusal, true).unchangedContents([item.source], { metadata: {}, collections: [] });
  expect(await ask(new ServiceError('not_found', 'There is no route POST /v3/documents/unchanged.'))).toEqual([]);
  const full = new ServiceError('store_failed', 'The disk is full.');
  await expect(ask(full)).rejects.toBe(full);
});
