import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultAdmin } from '../../../src/access/principal.ts';
import { defaultHttpLimits } from '../../../src/http/http-services.ts';
import { startCitewell } from '../support/start-citewell.ts';
import type { RunningHttp } from '../support/start-http.ts';

let http: RunningHttp;

beforeAll(async () => {
  http = await startCitewell({ limits: { ...defaultHttpLimits, file: 50_000, field: 20_000 } });
});
afterAll(() => http.close());

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are read as a client without types would
  readonly body: any;
}

async function call(path: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(`${http.url}/v3${path}`, init);
  return { status: response.status, body: await response.json() };
}

async function upload(fields: Readonly<Record<string, string>>, file?: { name: string; text: string }): Promise<Reply> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  if (file !== undefined) form.set('file', new Blob([file.text]), file.name);
  return call('/documents', { method: 'POST', body: form });
}

const json = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

const count = async (): Promise<number> => (await call('/documents?limit=1')).body.total_entries;

describe('POST /documents', () => {
  it('ingests before it answers, with exactly three fields', async () => {
    const { status, body } = await upload({ raw_text: 'This is a test document' });
    expect(status).toBe(202);
    expect(body).toEqual({
      results: {
        message: 'Document created and ingested successfully.',
        task_id: null,
        document_id: '5556836e-a51c-57c7-916a-de76c79df2b6',
      },
    });
    expect((await call(`/documents/${body.results.document_id}`)).body.results.ingestion_status).toBe('success');
  });

  it('waits for the end even when orchestration is requested, since clients read the document next', async () => {
    const { body } = await upload({ raw_text: 'Read at once.', run_with_orchestration: 'true' });
    expect(body.results.task_id).toBeNull();
    expect((await call(`/documents/${body.results.document_id}`)).body.results.ingestion_status).toBe('success');
  });

  it('treats empty and null fields as absent', async () => {
    const blank = { id: '', chunks: 'null', metadata: 'null', ingestion_mode: '', run_with_orchestration: 'null' };
    const { status, body } = await upload({ raw_text: 'Among blanks.', collection_ids: '', ...blank });
    expect([status, body.results?.message]).toEqual([202, 'Document created and ingested successfully.']);
    const form = new URLSearchParams({ raw_text: 'null', ...blank });
    const read = await call('/documents', { method: 'POST', body: form });
    // Treated like any other text.
    expect((await call(`/documents/${read.body.results.document_id}/text`)).body.results.text).toBe('null');
  });

  it('accepts numbers written as text', async () => {
    const long = 'A sentence of some length. '.repeat(20);
    const { body } = await upload({ raw_text: long, ingestion_config: '{"chunk_size":"100","chunk_overlap":"0"}' });
    const { total_entries: total } = (await call(`/documents/${body.results.document_id}/chunks?limit=1`)).body;
    expect(total).toBeGreaterThan(5);
    const search_settings = { limit: '2', hybrid_settings: { semantic_weight: '0.5', rrf_k: ' 60 ' } };
    const found = await call('/retrieval/search', json('POST', { query: 'sentence', search_settings }));
    expect(found.body.results.chunk_search_results).toHaveLength(2);
    for (const limit of ['', 'two', '2.5', '0x2']) {
      const wrong = await call('/retrieval/search', json('POST', { query: 'sentence', search_settings: { limit } }));
      expect([limit, wrong.status]).toEqual([limit, 422]);
    }
  });

  it('returns every field of the record', async () => {
    const { body } = await upload(
      {
        metadata: '{"title":"Capitals / Europe","year":2024}',
        collection_ids: '["9fbe403b-c11c-5aae-8ade-ef22980c3ad1"]',
        ingestion_mode: 'fast',
        ingestion_config: '{"chunkSize":500}',
        run_with_orchestration: 'false',
        source: 'file:///capitals.txt',
      },
      { name: 'capitals.txt', text: 'Paris is the capital of France.\nRome is the capital of Italy.' },
    );
    const id = body.results.document_id;
    expect((await call(`/documents/${id}`)).body).toEqual({
      results: {
        id,
        collection_ids: ['9fbe403b-c11c-5aae-8ade-ef22980c3ad1'],
        owner_id: defaultAdmin.userId,
        document_type: 'txt',
        metadata: { title: 'Capitals / Europe', year: 2024, version: 'v0' },
        title: 'Capitals / Europe',
        version: 'v0',
        size_in_bytes: 61,
        ingestion_status: 'success',
        extraction_status: 'pending',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        ingestion_attempt_number: 1,
        summary: null,
        summary_embedding: null,
        summary_status: 'none',
        summary_model: null,
        summary_note: null,
        total_tokens: expect.any(Number),
        chunks: null,
        source: 'file:///capitals.txt',
        file_name: 'capitals.txt',
        media_type: expect.stringMatching(/^text\/plain/),
        content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        text_length: 61,
        chunk_count: expect.any(Number),
        published_at: expect.any(String),
        failure: null,
        failure_remedy: null,
      },
    });
  });

  it('accepts a form without files and a JSON body as well', async () => {
    const form = await call('/documents', { method: 'POST', body: new URLSearchParams({ raw_text: 'As a form.' }) });
    const object = await call('/documents', json('POST', { raw_text: 'As JSON.', metadata: { a: 1 } }));
    expect([form.status, object.status]).toEqual([202, 202]);
  });

  it('queues the work on request, and returns its task', async () => {
    const { status, body } = await upload({ raw_text: 'Read in the background.', queued: 'true' });
    const { task_id: task, document_id: id } = body.results;
    expect([status, task]).toEqual([202, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    await (await fetch(`${http.url}/v3/documents/${id}/events`)).text();
    expect((await call(`/documents/${id}`)).body.results.ingestion_status).toBe('success');
  });

  it('accepts ready-made chunks', async () => {
    const { body } = await upload({ chunks: '["First ready-made chunk.","Second ready-made chunk."]' });
    const chunks = await call(`/documents/${body.results.document_id}/chunks`);
    expect(chunks.body.results.map(({ text }: { text: string }) => text)).toEqual([
      'First ready-made chunk.',
      'Second ready-made chunk.',
    ]);
  });

  it('puts a document into collections by name, creating each once', async () => {
    const one = await upload({ raw_text: 'In a named collection.', collections: '["Letters"]' });
    const two = await upload({ raw_text: 'In the same one.', collections: '["Letters"]' });
    const collections = await Promise.all(
      [one, two].map(
        async ({ body }) => (await call(`/documents/${body.results.document_id}`)).body.results.collection_ids,
      ),
    );
    expect(collections[0]).toHaveLength(1);
    expect(collections[0]).toEqual(collections[1]);
  });

  it('answers 409 when the id exists already', async () => {
    const id = '11111111-1111-4111-8111-111111111111';
    expect((await upload({ raw_text: 'Once.', id })).status).toBe(202);
    const again = await upload({ raw_text: 'Once more.', id });
    expect([again.status, again.body.error_type]).toEqual([409, 'R2RException']);
    expect((await upload({ raw_text: 'Instead.', id, replace: 'true' })).status).toBe(202);
    expect((await call(`/documents/${id}/text`)).body.results.text).toBe('Instead.');
  });

  it.each<[string, Readonly<Record<string, string>>, { name: string; text: string } | undefined, number]>([
    ['an id that is taken', { raw_text: 'Twice.', id: '22222222-2222-4222-8222-222222222222' }, undefined, 409],
    ['a recording, which nothing transcribes', {}, { name: 'talk.mp3', text: 'ID3' }, 415],
    ['a file that is too large', {}, { name: 'long.txt', text: 'x'.repeat(60_000) }, 413],
    ['metadata that is none', { raw_text: 'a', metadata: '[' }, undefined, 422],
  ])('leaves no collection of a refused upload: %s', async (_what, fields, file, status) => {
    const taken = { raw_text: 'Taken.', id: '22222222-2222-4222-8222-222222222222', replace: 'true' };
    expect((await upload(taken)).status).toBe(202);
    const names = async () =>
      (await call('/collections?limit=1000')).body.results.map(({ name }: { readonly name: string }) => name);
    expect((await upload({ ...fields, collections: '["Refused"]' }, file)).status).toBe(status);
    expect(await names()).not.toContain('Refused');
    await upload({ ...taken, collections: '["Accepted"]' });
    expect(await names()).toContain('Accepted');
  });

  it('answers the same content with the existing document', async () => {
    const first = await upload({}, { name: 'one.txt', text: 'Said twice.' });
    const second = await upload({}, { name: 'two.txt', text: 'Said twice.' });
    expect([second.status, second.body.results.document_id]).toEqual([202, first.body.results.document_id]);
  });

  it('answers 400 for an invalid JSON file, and keeps the failed document', async () => {
    const failed = await upload({}, { name: 'invalid.json', text: '{"a": ' });
    expect([failed.status, failed.body.message]).toEqual([400, expect.stringMatching(/JSON/)]);
    const id = '04ebba11-8d7c-5e7e-ade8-8f02edee2327';
    const record = (await call(`/documents/${id}`)).body.results;
    expect(record).toMatchObject({
      ingestion_status: 'failed',
      metadata: { failure: expect.stringMatching(/JSON/) },
      failure_remedy: 'file',
    });
    expect((await call(`/documents/${id}/chunks`)).status).toBe(404);
    expect((await upload({}, { name: 'invalid.json', text: '{"a": 1}' })).status).toBe(202);
    expect((await call(`/documents/${id}`)).body.results).toMatchObject({ ingestion_status: 'success' });
  });

  it.each<[string, Readonly<Record<string, string>>, { name: string; text: string } | undefined, number, RegExp]>([
    ['none of the sources', {}, undefined, 422, /exactly one of file, raw_text, chunks and url; this has none/],
    ['two of the sources', { raw_text: 'a', chunks: '["b"]' }, undefined, 422, /this has raw_text and chunks/],
    ['a file and a text', { raw_text: 'a' }, { name: 'a.txt', text: 'b' }, 422, /this has file and raw_text/],
    ['chunks that are no JSON', { chunks: 'a, b' }, undefined, 422, /chunks: This is not valid JSON/],
    ['chunks that are no list', { chunks: '{}' }, undefined, 422, /chunks/],
    ['an empty list of chunks', { chunks: '[]' }, undefined, 422, /chunks/],
    ['an id that is no UUID', { raw_text: 'a', id: 'x' }, undefined, 422, /id: This must be a UUID/],
    ['metadata that is no object', { raw_text: 'a', metadata: '[1]' }, undefined, 422, /metadata/],
    ['collection ids that are none', { raw_text: 'a', collection_ids: '["x"]' }, undefined, 422, /collection_ids\.0/],
    ['a mode nobody knows', { raw_text: 'a', ingestion_mode: 'slow' }, undefined, 422, /ingestion_mode/],
    ['a source that is no address', { raw_text: 'a', source: 'javascript:alert(1)' }, undefined, 422, /source/],
    ['a type nobody reads', {}, { name: 'tool.exe', text: 'MZ\u0000\u0001' }, 415, /./],
    ['a file over the limit', {}, { name: 'a.txt', text: 'x'.repeat(60_000) }, 413, /larger than 50000 bytes/],
    ['a field over the limit', { raw_text: 'x'.repeat(30_000) }, undefined, 413, /"raw_text" is larger/],
  ])('is refused with %s, and leaves nothing', async (_, fields, file, status, message) => {
    const before = await count();
    const { status: given, body } = await upload(fields, file);
    expect([given, body.message]).toEqual([status, expect.stringMatching(message)]);
    expect(await count()).toBe(before);
  });

  it.each<[string, string, string, number]>([
    ['a form without boundary', 'multipart/form-data', 'x', 400],
    [
      'a form that breaks off',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="raw_text"\r\n\r\nabc',
      400,
    ],
    ['no form at all', 'application/json', '[]', 422],
    [
      'a second file',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="other"; filename="a.txt"\r\n\r\nabc\r\n--b--\r\n',
      422,
    ],
  ])('is refused for %s', async (_, type, body, status) => {
    const reply = await call('/documents', { method: 'POST', headers: { 'Content-Type': type }, body });
    expect([reply.status, typeof reply.body.message]).toEqual([status, 'string']);
  });

  it('has spaces in its title for control characters of an encoded name', async () => {
    const body =
      '--b\r\nContent-Disposition: form-data; name="file"; filename*=UTF-8\'\'fares%00%0A2024.txt\r\n\r\nabc\r\n--b--\r\n';
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const { document_id: id } = (await call('/documents', { method: 'POST', headers, body })).body.results;
    expect((await call(`/documents/${id}`)).body.results.title).toBe('fares  2024.txt');
  });

  it('leaves nothing of an aborted upload', async () => {
    const before = await count();
    await new Promise<void>((resolve) => {
      const upload = request(`${http.url}/v3/documents`, {
        method: 'POST',
        headers: { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': 10_000 },
      });
      upload.on('error', () => resolve());
      upload.on('close', () => resolve());
      upload.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf of it');
      setTimeout(() => upload.destroy(), 50);
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await count()).toBe(before);
    expect(http.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('the list of documents', () => {
  it('can be filtered by stage, collection or title', async () => {
    const collection = (await call('/collections', json('POST', { name: 'Lists' }))).body.results.id;
    const titled = async (title: string) =>
      (await upload({ raw_text: `About ${title}.`, metadata: JSON.stringify({ title }), collection_ids: collection }))
        .body.results.document_id;
    const [plain, percent] = [await titled('Seven letters'), await titled('Seven % more')];
    const ids = async (query: string): Promise<string[]> =>
      (await call(`/documents?${query}`)).body.results.map(({ id }: { id: string }) => id).sort();
    expect(await ids(`collection_ids=${collection}`)).toEqual([plain, percent].sort());
    expect(await ids(`collection_ids=${collection}&title=seven`)).toEqual([plain, percent].sort());
    expect(await ids(`collection_ids=${collection}&title=${encodeURIComponent('seven %')}`)).toEqual([percent]);
    expect(await ids(`collection_ids=${collection}&ingestion_status=failed&ingestion_status=pending`)).toEqual([]);
    expect(await ids(`collection_ids=${collection}&ingestion_status=success&title=LETTERS`)).toEqual([plain]);
    expect((await call('/documents?ingestion_status=lost')).status).toBe(422);
  });

  it('can be sorted, also that of a collection', async () => {
    const collection = (await call('/collections', json('POST', { name: 'Sorted' }))).body.results.id;
    for (const [title, text] of [
      ['beta', 'Three words here.'],
      ['Alpha', 'One.'],
      ['gamma', 'Two words.'],
    ] as const) {
      await upload({ raw_text: text, metadata: JSON.stringify({ title }), collection_ids: collection });
    }
    const titles = async (path: string): Promise<string[]> =>
      (await call(path)).body.results.map(({ title }: { title: string }) => title);
    for (const list of [`/documents?collection_ids=${collection}&`, `/collections/${collection}/documents?`]) {
      expect(await titles(list)).toEqual(['gamma', 'Alpha', 'beta']);
      expect(await titles(`${list}sort_by=title`)).toEqual(['Alpha', 'beta', 'gamma']);
      expect(await titles(`${list}sort_by=size_in_bytes`)).toEqual(['beta', 'gamma', 'Alpha']);
      expect(await titles(`${list}sort_by=size_in_bytes&sort_order=asc&limit=1&offset=1`)).toEqual(['gamma']);
      expect((await call(`${list}sort_by=colour`)).status).toBe(422);
    }
  });

  it('pages, newest first, with the count of all', async () => {
    for (const text of ['First page.', 'Second page.', 'Third page.']) await upload({ raw_text: text });
    const total = await count();
    const first = (await call('/documents?limit=2')).body;
    const rest = (await call('/documents?offset=2&limit=1000')).body;
    expect([first.total_entries, first.results.length, rest.results.length]).toEqual([total, 2, total - 2]);
    const created = [...first.results, ...rest.results].map(({ created_at }) => created_at);
    expect(created).toEqual(created.toSorted().reverse());
  });

  it('accepts several ids by repeating the parameter', async () => {
    const made = async (text: string): Promise<string> => (await upload({ raw_text: text })).body.results.document_id;
    const [one, two] = [await made('One of two.'), await made('Two of two.')];
    expect((await call(`/documents?ids=${one}&ids=${two.toUpperCase()}`)).body.total_entries).toBe(2);
    expect((await call(`/documents?ids=${one}&owner_only=true`)).body.total_entries).toBe(1);
  });
});

describe('a document', () => {
  const make = async (text: string, metadata: object = {}): Promise<string> =>
    (await upload({ raw_text: text, metadata: JSON.stringify(metadata) })).body.results.document_id;

  it('returns its chunks in order, with vectors on request', async () => {
    const id = (await upload({ chunks: '["alpha one","beta two"]' })).body.results.document_id;
    const plain = (await call(`/documents/${id}/chunks?limit=1`)).body;
    expect(plain).toMatchObject({
      total_entries: 2,
      results: [
        { document_id: id, text: 'alpha one', vector: null, metadata: { chunk_order: 0, document_type: 'txt' } },
      ],
    });
    const { results } = (await call(`/documents/${id}/chunks?include_vectors=true&offset=1`)).body;
    expect(results).toHaveLength(1);
    expect(results[0].vector).toEqual(expect.arrayContaining([expect.any(Number)]));
  });

  it('returns any range of its extracted text', async () => {
    const id = await make('Zero one two three.');
    expect((await call(`/documents/${id}/text?start=5&end=8`)).body).toEqual({
      results: {
        document_id: id,
        start: 5,
        end: 8,
        length: 19,
        text: 'one',
        pages: [],
        headings: [{ start: 0, heading_path: [] }],
      },
    });
    expect((await call(`/documents/${id}/text?end=1000`)).body.results.text).toBe('Zero one two three.');
    expect((await call(`/documents/${id}/text?start=9&end=8`)).status).toBe(422);
    expect((await call(`/documents/${id}/text?start=-1`)).status).toBe(422);
  });

  it('returns the headings above the characters of a range', async () => {
    const text = '# Crew\n\nTwo mates.\n\n## Drills\n\nEvery month.\n\n## Pay\n\nFair.';
    const id = (await upload({}, { name: 'crew.md', text })).body.results.document_id;
    const headingsOf = async (words: string) => {
      const start = text.indexOf(words);
      return (await call(`/documents/${id}/text?start=${start}&end=${start + 5}`)).body.results.headings;
    };
    const crew = { start: 0, heading_path: ['Crew'] };
    const drills = { start: text.indexOf('## Drills'), heading_path: ['Crew', 'Drills'] };
    expect(await headingsOf('Two mates')).toEqual([crew]);
    expect(await headingsOf('Every month')).toEqual([drills]);
    expect((await call(`/documents/${id}/text?end=40`)).body.results.headings).toEqual([crew, drills]);
  });

  it('keeps, merges and replaces metadata', async () => {
    const id = await make('About metadata.', { a: 1, b: 1 });
    const patched = await call(`/documents/${id}/metadata`, json('PATCH', [{ b: 2 }, { c: 3 }, { c: 4 }]));
    expect(patched.body.results.metadata).toMatchObject({ a: 1, b: 2, c: 4 });
    const replaced = await call(`/documents/${id}/metadata`, json('PUT', [{ d: 5 }]));
    expect(replaced.body.results.metadata).toEqual({ d: 5 });
    expect((await call(`/documents/${id}`)).body.results.metadata).toEqual({ d: 5, version: 'v0' });
    expect((await call(`/documents/${id}/metadata`, json('PATCH', 'x'))).status).toBe(422);
    const found = await call(
      '/retrieval/search',
      json('POST', { query: 'about', search_settings: { filters: { d: 5 } } }),
    );
    expect(found.body.results.chunk_search_results).toHaveLength(1);
  });

  it('keeps its metadata when they are replaced without a body, and loses them only for an empty list', async () => {
    const id = await make('Metadata to keep.', { a: 1 });
    const empty = await call(`/documents/${id}/metadata`, { method: 'PUT' });
    expect([empty.status, empty.body.message]).toEqual([422, expect.stringContaining('[] to remove all metadata')]);
    expect((await call(`/documents/${id}`)).body.results.metadata).toMatchObject({ a: 1 });
    expect((await call(`/documents/${id}/metadata`, json('PUT', []))).body.results.metadata).toEqual({});
  });

  it('refuses a change of a chunk that names another chunk', async () => {
    const id = await make('The chunk to change.');
    const [chunk] = (await call(`/documents/${id}/chunks`)).body.results;
    const other = '00000000-0000-4000-8000-000000000000';
    const refused = await call(`/chunks/${chunk.id}`, json('POST', { id: other, text: 'Changed.' }));
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining(chunk.id)]);
    expect((await call(`/chunks/${chunk.id}`)).body.results.text).toBe('The chunk to change.');
    const changed = await call(`/chunks/${chunk.id}`, json('POST', { id: chunk.id.toUpperCase(), text: 'Changed.' }));
    expect(changed.body.results.text).toBe('Changed.');
  });

  it('is found by the time it was created, in any notation of it', async () => {
    const id = await make('A dated document about tidal mills.');
    const created = new Date((await call(`/documents/${id}`)).body.results.created_at);
    const inTokyo = (time: number) => new Date(time + 9 * 3_600_000).toISOString().replace('Z', '+09:00');
    const found = async (condition: object) => {
      const filters = { document_id: id, created_at: condition };
      const body = { query: 'tidal mills', search_settings: { filters } };
      return (await call('/chunks/search', json('POST', body))).body.total_entries;
    };
    expect(await found({ $eq: inTokyo(created.getTime()) })).toBe(1);
    expect(await found({ $gt: inTokyo(created.getTime() - 60_000), $lt: inTokyo(created.getTime() + 60_000) })).toBe(1);
    expect(await found({ $gt: inTokyo(created.getTime() + 60_000) })).toBe(0);
    expect(await found({ $lt: new Date(created.getTime() + 60_000).toISOString().replace('T', ' ') })).toBe(1);
  });

  it('is deleted with a receipt', async () => {
    const id = await make('To be deleted.');
    expect((await call(`/documents/${id}`, { method: 'DELETE' })).body.results).toMatchObject({
      success: true,
      documents: 1,
      chunks: 1,
    });
    for (const path of ['', '/chunks', '/download', '/text']) {
      expect((await call(`/documents/${id}${path}`)).status).toBe(404);
    }
    expect((await call(`/documents/${id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await call(`/documents/${id}/metadata`, json('PUT', []))).status).toBe(404);
  });

  it('is deleted by a filter, sent as an object or as a JSON string', async () => {
    await make('First of a batch.', { batch: 'x' });
    await make('Second of a batch.', { batch: 'y' });
    const object = await call('/documents/by-filter', json('DELETE', { batch: { $eq: 'x' } }));
    const string = await call('/documents/by-filter', json('DELETE', JSON.stringify({ batch: 'y' })));
    expect([object, string].map(({ body }) => body.results.documents)).toEqual([1, 1]);
  });

  it.each<[string, RequestInit, number]>([
    ['an empty filter', json('DELETE', {}), 400],
    ['no filter', { method: 'DELETE' }, 400],
    ['a filter that holds always', json('DELETE', { $and: [] }), 400],
    ['a bad operator', json('DELETE', { a: { $bad: 1 } }), 400],
    ['no object', json('DELETE', []), 422],
  ])('is not deleted by %s', async (_, init, status) => {
    const before = await count();
    expect((await call('/documents/by-filter', init)).status).toBe(status);
    expect(await count()).toBe(before);
  });

  it('is deleted with others of a list, and what is not there is named', async () => {
    const listed = [await make('First of a list.', {}), await make('Second of a list.', {})];
    const missing = '00000000-0000-4000-8000-000000000000';
    const before = await count();
    const { status, body } = await call(
      '/documents/delete',
      json('POST', { document_ids: [...listed.map((id) => id.toUpperCase()), missing] }),
    );
    expect(status).toBe(200);
    expect(body.results).toMatchObject({
      success: true,
      documents: 2,
      verified: true,
      not_deleted: [{ document_id: missing, code: 'not_found', message: 'There is no such document.' }],
    });
    expect(await count()).toBe(before - 2);
    expect((await call('/documents/delete', json('POST', { document_ids: [] }))).status).toBe(422);
  });

  it('is found by its title', async () => {
    const id = await make('Body.', { title: 'Zoological handbook' });
    const { body } = await call(
      '/documents/search',
      json('POST', { query: 'zoological', search_mode: 'custom', search_settings: {} }),
    );
    expect(body.total_entries).toBe(1);
    expect(body.results[0]).toMatchObject({
      id,
      search_score: expect.any(Number),
      metadata: { search_score: expect.any(Number), search_type: 'full_text' },
    });
  });
});

describe('a download', () => {
  const download = async (name: string, text: string, headers: Readonly<Record<string, string>> = {}) => {
    const { body } = await upload({}, { name, text });
    const id: string =
      body.results?.document_id ??
      (await call('/documents?limit=1000')).body.results.find(
        (document: { readonly file_name: string }) => document.file_name === name,
      ).id;
    return fetch(`${http.url}/v3/documents/${id}/download`, { headers });
  };

  it('is the unchanged file', async () => {
    const response = await download('Über uns "1".txt', 'Grüße');
    expect(await response.text()).toBe('Grüße');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '7',
      'content-disposition': `inline; filename="_ber uns _1_.txt"; filename*=UTF-8''%C3%9Cber%20uns%20%221%22.txt`,
      'x-content-type-options': 'nosniff',
    });
  });

  it.each([
    ['bytes=2-4', 'cde', 'bytes 2-4/10'],
    ['bytes=7-', 'hij', 'bytes 7-9/10'],
    ['bytes=-2', 'ij', 'bytes 8-9/10'],
    ['bytes=8-999', 'ij', 'bytes 8-9/10'],
    ['bytes=0-1,2-3', 'abcd', 'bytes 0-3/10'],
  ])('answers %s with that range', async (range, text, contentRange) => {
    const response = await download('letters.txt', 'abcdefghij', { Range: range });
    expect(response.status).toBe(206);
    expect(await response.text()).toBe(text);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-range': contentRange,
      'content-length': String(text.length),
      'accept-ranges': 'bytes',
    });
  });

  it.each(['bytes=4-2x', 'lines=1-2', 'bytes=0-1,5-6'])(
    'answers the unsupported %s with the whole file',
    async (range) => {
      const response = await download('letters.txt', 'abcdefghij', { Range: range });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('abcdefghij');
    },
  );

  it('gives the file size for a range after its end', async () => {
    const response = await download('letters.txt', 'abcdefghij', { Range: 'bytes=10-' });
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe('bytes */10');
    expect(response.headers.get('content-type')).toMatch(/json/);
    expect(await response.json()).toMatchObject({ code: 'range_not_satisfiable' });
  });

  it('answers 304 to a client that has it', async () => {
    const tag = (await download('letters.txt', 'abcdefghij')).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[0-9a-f]{64}"$/);
    const again = await download('letters.txt', 'abcdefghij', { 'If-None-Match': tag, 'Cache-Control': 'max-age=0' });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    expect((await download('letters.txt', 'abcdefghij', { 'If-None-Match': '"other"' })).status).toBe(200);
    const range = { Range: 'bytes=0-1' };
    expect((await download('letters.txt', 'abcdefghij', { ...range, 'If-Range': tag })).status).toBe(206);
    expect((await download('letters.txt', 'abcdefghij', { ...range, 'If-Range': '"other"' })).status).toBe(200);
  });

  it('never runs in the browser as a page of this origin', async () => {
    const response = await download('evil.html', '<!doctype html><p>Hello.</p><script>alert(1)</script>');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-disposition': expect.stringMatching(/^attachment; /),
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
  });
});

describe('access to documents', () => {
  it('is limited to what the requester may see, change and delete', async () => {
    const owner = { ...defaultAdmin, isSuperuser: false };
    const otherUser = { ...owner, userId: 'b0000000-0000-4000-8000-000000000000', collectionIds: [] };
    const member = { ...otherUser, collectionIds: defaultAdmin.collectionIds };
    let asking = owner;
    const guarded = await startCitewell({ authenticate: async () => asking });
    const status = async (path: string, init?: RequestInit) => (await fetch(`${guarded.url}/v3${path}`, init)).status;
    try {
      const created = await guarded.post('/v3/documents', { raw_text: 'Mine alone.' });
      const { results } = (await created.json()) as { results: { document_id: string } };
      const path = `/documents/${results.document_id}`;
      const walk = async () => [
        await status(path),
        await status(`${path}/chunks`),
        await status(`${path}/download`),
        await status(`${path}/metadata`, json('PATCH', [])),
        await status(`${path}?`, { method: 'DELETE' }),
      ];
      asking = otherUser;
      expect(await walk()).toEqual([404, 403, 403, 404, 404]);
      expect(await (await fetch(`${guarded.url}/v3/documents`)).json()).toMatchObject({ total_entries: 0 });
      const facets = async () => (await fetch(`${guarded.url}/v3/documents/facets`)).json();
      expect(await facets()).toEqual({ results: { documents: 0, types: [], collections: [], metadata: [] } });
      asking = member;
      expect(await facets()).toMatchObject({
        results: {
          documents: 1,
          types: [{ value: 'txt', count: 1 }],
          collections: [{ id: defaultAdmin.collectionIds[0], name: 'Default', count: 1 }],
        },
      });
      expect(await walk()).toEqual([200, 200, 200, 403, 404]);
      expect(await status('/system/status')).toBe(403);
      asking = owner;
      expect(await walk()).toEqual([200, 200, 200, 200, 200]);
    } finally {
      await guarded.close();
    }
  });
});
