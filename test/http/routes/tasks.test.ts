import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Authenticate } from '../../../src/access/credentials.ts';
import { defaultAdmin, type Principal } from '../../../src/access/principal.ts';
import type { Ingestor } from '../../../src/ingest/ingestor.ts';
import { PATIENT } from '../../support/patience.ts';
import { startCitewell } from '../support/start-citewell.ts';
import type { RunningHttp } from '../support/start-http.ts';

/** Longer time-outs for busy machines. */

const other: Principal = {
  userId: '11111111-1111-4111-8111-111111111111',
  email: 'other@example.com',
  isSuperuser: false,
  collectionIds: [],
};
const authenticate: Authenticate = async ({ bearer }) => (bearer === 'other' ? other : defaultAdmin);

let http: RunningHttp;
let ingestor: Ingestor;
beforeAll(async () => {
  http = await startCitewell({
    authenticate,
    queues: true,
    mount(services) {
      ingestor = services.ingestor;
      return { path: '/unused', handler: (_request, _response, next) => next() };
    },
  });
});
afterAll(() => http.close());

type Fields = Readonly<Record<string, string>>;
const asOther = { headers: { authorization: 'Bearer other' } };

async function upload(fields: Fields, init: RequestInit = {}) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const response = await fetch(`${http.url}/v3/documents`, { method: 'POST', body, ...init });
  const { results } = (await response.json()) as { results: { message: string; task_id: string; document_id: string } };
  return { status: response.status, ...results };
}

async function json(
  path: string,
  init?: RequestInit,
): Promise<{ status: number; results: never; total_entries?: number }> {
  const response = await fetch(`${http.url}/v3${path}`, init);
  return { status: response.status, ...((await response.json()) as { results: never }) };
}

async function eventsOf(path: string, init?: RequestInit) {
  const text = await (await fetch(`${http.url}/v3${path}`, init)).text();
  return text
    .trim()
    .split('\n\n')
    .map((block) => {
      const of = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      return { id: of('id'), event: of('event'), data: of('data') };
    });
}

describe('run_with_orchestration', () => {
  it('makes a submission durable before the answer only if the document is queued', async () => {
    const submit = vi.spyOn(ingestor, 'submit');
    try {
      await upload({ raw_text: 'Boats leave at seven.', run_with_orchestration: 'false' });
      await upload({ raw_text: 'Boats leave at eight.', run_with_orchestration: 'true' });
      const chunks = await http.post('/v3/chunks', { raw_chunks: [{ text: 'Boats leave at ten to nine.' }] });
      expect(chunks.status).toBe(200);
      const options = submit.mock.calls.map(([, each]) => each);
      expect(options).toEqual([
        { queued: false, isAwaited: true },
        { queued: true, isAwaited: false },
        { isAwaited: true },
      ]);
    } finally {
      submit.mockRestore();
    }
  });

  it('waits for the end when false, and otherwise returns the id of a task if uploads are queued', async () => {
    const message = 'Document created and ingested successfully.';
    const waited = await upload({ raw_text: 'Boats leave at ten.', run_with_orchestration: 'false' });
    expect(waited).toMatchObject({ status: 202, message, task_id: null });

    const queued = await upload({ raw_text: 'Boats leave at noon.', run_with_orchestration: 'true' });
    expect(queued).toMatchObject({
      status: 202,
      message: 'Ingest files task queued successfully.',
      task_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await upload({ raw_text: 'Boats leave at nine.' })).toMatchObject({ message: queued.message });
    const task = async () => (await json(`/tasks/${queued.task_id}`)).results as { state: string };
    await expect.poll(task, PATIENT).toMatchObject({ state: 'succeeded', document_id: queued.document_id, tries: 1 });
    expect((await json(`/documents/${queued.document_id}`)).results).toMatchObject({ ingestion_status: 'success' });
  });
});

describe('tasks', () => {
  it('are listed by state and document, retried, and give the reason of a failure', async () => {
    const { document_id } = await upload({
      chunks: '["one"]',
      id: '649d1072-7054-4e17-bd51-1af5f467d617',
      run_with_orchestration: 'true',
    });
    await expect
      .poll(async () => (await json(`/tasks?document_ids=${document_id}&state=succeeded`)).total_entries, PATIENT)
      .toBe(1);
    const [{ id }] = (await json(`/tasks?document_ids=${document_id}`)).results as [{ id: string }];
    for (const action of ['cancel', 'retry']) {
      expect(await json(`/tasks/${id}/${action}`, { method: 'POST' })).toMatchObject({ status: 409 });
    }
    expect(await json('/tasks?state=sleeping')).toMatchObject({ status: 422 });

    const body = new FormData();
    body.set('file', new Blob(['{"a":']), 'broken.json');
    body.set('run_with_orchestration', 'true');
    const response = await fetch(`${http.url}/v3/documents`, { method: 'POST', body });
    const failing = ((await response.json()) as { results: { task_id: string } }).results;
    const state = async () => (await json(`/tasks/${failing.task_id}`)).results;
    await expect
      .poll(state, PATIENT)
      .toMatchObject({ state: 'failed', last_error: expect.stringMatching(/not valid JSON/) });
    const retried = await json(`/tasks/${failing.task_id}/retry`, { method: 'POST' });
    expect(retried.results).toMatchObject({ id: failing.task_id });
    await expect.poll(state, PATIENT).toMatchObject({ state: 'failed', tries: 1 });
    expect((await json('/documents/retry-failed', { method: 'POST' })).results).toEqual({ retried: 1 });
    const ingestion = async () =>
      ((await json('/system/status')).results as { citewell: { ingestion: object } }).citewell.ingestion;
    await expect.poll(ingestion, PATIENT).toMatchObject({ queued: 0, running: 0, failed: 1, eta_seconds: 0 });
    expect(await state()).toMatchObject({ state: 'failed' });
  });

  it('of other users are not found', async () => {
    const { task_id, document_id } = await upload({ raw_text: 'A secret.', run_with_orchestration: 'true' });
    for (const path of [`/tasks/${task_id}`, `/documents/${document_id}/events`]) {
      expect(await json(path, asOther)).toMatchObject({ status: 404 });
    }
    for (const path of [`/tasks/${task_id}/cancel`, `/tasks/${task_id}/retry`]) {
      expect(await json(path, { method: 'POST', ...asOther })).toMatchObject({ status: 404 });
    }
    expect(await json('/tasks', asOther)).toMatchObject({ results: [], total_entries: 0 });
    expect((await json('/documents/retry-failed?all_owners=true', { method: 'POST', ...asOther })).results).toEqual({
      retried: 0,
    });
  });
});

describe('the events of a document', () => {
  it('are streamed from the beginning, or from the last event a reader received', async () => {
    const { document_id } = await upload({ raw_text: 'A long way in.', run_with_orchestration: 'true' });
    const events = await eventsOf(`/documents/${document_id}/events`);
    expect(events.slice(-2)).toMatchObject([
      { event: 'ingested', data: expect.stringContaining('"ingestion_status":"success"') },
      { event: 'done', data: '[DONE]' },
    ]);
    // The records can say that it ended before its last events are published; then the end that was streamed has no id.
    const numbered = async () =>
      (await eventsOf(`/documents/${document_id}/events`)).filter(({ id }) => id !== undefined);
    const kinds = async () => (await numbered()).map(({ event }) => event);
    await expect.poll(kinds, PATIENT).toEqual(['status', 'status', 'progress', 'status', 'status', 'ingested']);
    const last = { headers: { 'last-event-id': (await numbered())[3]?.id ?? '' } };
    const rest = await eventsOf(`/documents/${document_id}/events`, last);
    expect(rest.map(({ event }) => event)).toEqual(['status', 'ingested', 'done']);
  });

  it('without a task are its current state', async () => {
    const { document_id } = await upload({
      raw_text: 'Taken in while its sender waited.',
      run_with_orchestration: 'false',
    });
    const events = await eventsOf(`/documents/${document_id}/events?after=of-another-process:9`);
    expect(events.at(-2)).toMatchObject({ event: 'ingested' });
  });
});

describe('documents by their source', () => {
  const source = 'file:///notes/a.txt';

  it('are found, listed by folder, and moved', async () => {
    const { document_id } = await upload({ raw_text: 'From a file.', source, run_with_orchestration: 'false' });
    const query = encodeURIComponent(source);
    expect((await json(`/documents/of-source?source=${query}`)).results).toMatchObject({
      document_id,
      document: { id: document_id },
    });
    expect((await json('/documents/by-source?prefix=file:///notes/')).results).toMatchObject([{ id: document_id }]);
    const moved = { source: 'file:///notes/b.txt', file_name: 'b.txt' };
    const put = (init: RequestInit = {}) =>
      json(`/documents/${document_id}/source`, {
        method: 'PUT',
        body: JSON.stringify(moved),
        ...init,
        headers: { 'content-type': 'application/json', ...init.headers },
      });
    expect(await put(asOther)).toMatchObject({ status: 404 });
    expect((await put()).results).toMatchObject({ id: document_id, ...moved });
    expect((await json(`/documents/of-source?source=${query}`)).results).toMatchObject({ document: null });
    expect((await json(`/documents/by-source?prefix=file:///notes/`, asOther)).results).toEqual([]);
  });

  it('need not be sent again exactly if that would change nothing', async () => {
    const place = { source: 'file:///unchanged/ferry.txt', replace: 'true', run_with_orchestration: 'false' };
    const send = async (fields: Fields = {}, init: RequestInit = {}) => {
      const body = new FormData();
      body.set('file', new Blob(['The ferry leaves at nine.']), 'ferry.txt');
      for (const [name, value] of Object.entries({ ...place, id, ...fields })) body.set(name, value);
      const response = await fetch(`${http.url}/v3/documents`, { method: 'POST', body, ...init });
      const { results } = (await response.json()) as { results: { message: string; document_id: string } };
      return results;
    };
    const ask = async (fields: object = {}, init: RequestInit = {}) => {
      const headers = { 'content-type': 'application/json', ...init.headers };
      const body = JSON.stringify({ sources: [place.source, 'file:///unchanged/new.txt'], ...fields });
      return (await json('/documents/unchanged', { method: 'POST', body, headers })).results;
    };
    const id = crypto.randomUUID();
    expect(await ask()).toEqual([null, null]);
    expect((await send()).document_id).toBe(id);
    const hash = createHash('sha256').update('The ferry leaves at nine.').digest('hex');
    const same = [{ document_id: id, content_hash: hash, size_in_bytes: 25 }, null];
    expect(await ask()).toEqual(same);
    expect(await ask({}, asOther)).toEqual([null, null]);

    // Each is new at first and known afterwards, as the answers to both questions say.
    const steps: readonly { readonly metadata?: object; readonly collections?: readonly string[] }[] = [
      { metadata: { year: 2026 } },
      { metadata: { year: 2027 } },
      { metadata: { title: 'Ferries' } },
      { collections: ['Timetables'] },
      { metadata: { year: 2027, title: 'Ferries' }, collections: ['Timetables'] },
    ];
    const isUnchanged = ({ message }: { readonly message: string }) => message.includes('already ingested');
    for (const [index, step] of steps.entries()) {
      const fields = Object.fromEntries(Object.entries(step).map(([name, value]) => [name, JSON.stringify(value)]));
      const isLast = index === steps.length - 1;
      expect(await ask(step)).toEqual(isLast ? same : [null, null]);
      expect(isUnchanged(await send(fields))).toBe(isLast);
      expect(await ask(step)).toEqual(same);
      expect(await ask()).toEqual(same);
    }
    await send({ ingestion_config: JSON.stringify({ chunk_size: 300 }) });
    expect(await ask()).toEqual([null, null]);
    expect(isUnchanged(await send())).toBe(false);
    expect(await ask()).toEqual(same);
  });
});
