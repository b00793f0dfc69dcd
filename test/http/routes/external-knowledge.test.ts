import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultAdmin } from '../../../src/access/principal.ts';
import { visibleFilter } from '../../../src/access/visible-filter.ts';
import { recordingRetriever } from '../support/retrieval-fixtures.ts';
import { startCitewell } from '../support/start-citewell.ts';
import { type RunningHttp, startHttp } from '../support/start-http.ts';

let http: RunningHttp;
let collection: string;

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as a client without types would
const jsonOf = async (response: Response): Promise<any> => response.json();

beforeAll(async () => {
  http = await startCitewell();
  const add = async (raw_text: string, fields: object) =>
    (await jsonOf(await http.post('/v3/documents', { raw_text, ...fields }))).results;
  const made = await http.post('/v3/collections', { name: 'Ships' });
  collection = (await jsonOf(made)).results.id;
  const ships = [collection];
  await add('The ferry Aurora carries 120 passengers.', {
    metadata: { title: 'Ferry', year: 2024, yard: '100%_steel' },
    collection_ids: ships,
  });
  await add('The ferry Borealis carries 80 passengers.', {
    metadata: { title: 'Old ferry', year: 1987, yard: '100 steel' },
    collection_ids: ships,
  });
  await add('A kettle boils water for passengers of the train.', { metadata: { title: 'Kettle' } });
});
afterAll(() => http.close());

const retrieve = async (body: object) => {
  const response = await http.post('/dify/retrieval', body);
  return { status: response.status, body: await jsonOf(response) };
};
const titles = async (body: object) => {
  const { status, body: answer } = await retrieve(body);
  expect(status).toBe(200);
  return answer.records.map(({ title }: { title: string }) => title).sort();
};
const query = 'How many passengers does the ferry carry?';

it('finds the passages of a collection by its id or name, with title, score and metadata', async () => {
  const { body } = await retrieve({ knowledge_id: collection, query, retrieval_setting: { top_k: 5 } });
  expect(body.records[0]).toMatchObject({
    content: expect.stringContaining('The ferry'),
    title: expect.stringContaining('erry'),
    metadata: { document_id: expect.any(String), chunk_id: expect.any(String), year: expect.any(Number) },
  });
  const scores = body.records.map(({ score }: { score: number }) => score);
  expect(scores.every((score: number) => score > 0 && score <= 1)).toBe(true);
  expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
  expect(await titles({ knowledge_id: 'Ships', query, retrieval_setting: { top_k: 5 } })).toEqual([
    'Ferry',
    'Old ferry',
  ]);
});

it('searches all documents for "all", and returns as many as asked', async () => {
  expect(await titles({ knowledge_id: 'all', query, retrieval_setting: { top_k: 9 } })).toContain('Kettle');
  expect(await titles({ knowledge_id: 'all', query, retrieval_setting: { top_k: 1 } })).toHaveLength(1);
});

it('accepts null for unset values, as Dify sends it', async () => {
  const settings = { retrieval_setting: { top_k: null, score_threshold: null }, metadata_condition: null };
  expect(await titles({ knowledge_id: 'all', query, ...settings })).toContain('Kettle');
});

it('omits hits below the threshold', async () => {
  const all = await retrieve({ knowledge_id: 'all', query, retrieval_setting: { top_k: 9, score_threshold: 0 } });
  const scores = all.body.records.map(({ score }: { score: number }) => score);
  const threshold = (Math.max(...scores) + Math.min(...scores)) / 2;
  const some = await retrieve({
    knowledge_id: 'all',
    query,
    retrieval_setting: { top_k: 9, score_threshold: threshold },
  });
  expect(some.body.records).toHaveLength(scores.filter((score: number) => score >= threshold).length);
  expect(some.body.records.length).toBeLessThan(scores.length);
});

it.each([
  [{ name: ['year'], comparison_operator: '>', value: '2000' }, ['Ferry']],
  [{ name: 'year', comparison_operator: '≤', value: 1987 }, ['Old ferry']],
  [{ name: ['title'], comparison_operator: 'is', value: 'Kettle' }, ['Kettle']],
  [{ name: ['yard'], comparison_operator: 'start with', value: '100%_' }, ['Ferry']],
  [{ name: ['title'], comparison_operator: 'contains', value: 'FERRY' }, ['Ferry', 'Old ferry']],
  [{ name: ['year'], comparison_operator: 'empty' }, ['Kettle']],
  [{ name: ['title'], comparison_operator: 'in', value: ['Ferry', 'Kettle'] }, ['Ferry', 'Kettle']],
  [{ name: ['year'], comparison_operator: '=' }, []],
])('filters by the metadata condition %j', async (condition, expected) => {
  const body = { knowledge_id: 'all', query, retrieval_setting: { top_k: 9 } };
  expect(await titles({ ...body, metadata_condition: { conditions: [condition] } })).toEqual(expected);
});

it('joins conditions with "or" when told to', async () => {
  const conditions = [
    { name: ['year'], comparison_operator: '<', value: 1990 },
    { name: ['title'], comparison_operator: 'is', value: 'Kettle' },
  ];
  const body = { knowledge_id: 'all', query, retrieval_setting: { top_k: 9 } };
  expect(await titles({ ...body, metadata_condition: { logical_operator: 'or', conditions } })).toEqual([
    'Kettle',
    'Old ferry',
  ]);
  expect(await titles({ ...body, metadata_condition: { conditions } })).toEqual([]);
  expect(await titles({ ...body, metadata_condition: { logical_operator: null, conditions } })).toEqual([]);
});

it('names an unknown collection and an operator it lacks in the format of Dify', async () => {
  const missing = await retrieve({ knowledge_id: 'Planes', query, retrieval_setting: { top_k: 3 } });
  expect(missing).toMatchObject({
    status: 404,
    body: { error_code: 2001, error_msg: expect.stringContaining('Planes') },
  });
  const condition = { name: ['title'], comparison_operator: 'not contains', value: 'x' };
  const wrong = await retrieve({ knowledge_id: 'all', query, metadata_condition: { conditions: [condition] } });
  expect(wrong).toMatchObject({ status: 422, body: { error_msg: expect.stringContaining('comparison_operator') } });
});

it('does not find collections of others', async () => {
  const form = new URLSearchParams({ username: 'ada@example.org', password: 'analytical engine' });
  await http.post('/v3/users', { email: 'ada@example.org', password: 'analytical engine' });
  const login = await fetch(`${http.url}/v3/users/login`, { method: 'POST', body: form });
  const { token } = (await jsonOf(login)).results.access_token;
  const asked = await fetch(`${http.url}/dify/retrieval`, {
    method: 'POST',
    body: JSON.stringify({ knowledge_id: collection, query }),
    headers: { authorization: `Bearer ${token}` },
  });
  expect([asked.status, (await jsonOf(asked)).error_code]).toEqual([404, 2001]);
});

it('tells the search what the caller may read, apart from the conditions', async () => {
  const retriever = recordingRetriever();
  const user = { ...defaultAdmin, isSuperuser: false };
  const recorded = await startHttp({ retriever }, async () => user);
  const conditions = [{ name: ['year'], comparison_operator: '>', value: '2000' }];
  const body = { knowledge_id: 'all', query, metadata_condition: { conditions } };
  const { status } = await recorded.post('/dify/retrieval', body);
  await recorded.close();
  expect(status).toBe(200);
  const [asked] = retriever.asked;
  expect(asked?.settings.readable).toEqual(visibleFilter(user));
  expect(asked?.settings.filter).toMatchObject({ kind: 'and', filters: [visibleFilter(user), expect.anything()] });
});
