import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatReply, startFakeOpenAi } from '../../support/fake-openai.ts';
import { type RunningR2r, startR2r } from '../support/start-r2r.ts';

let server: RunningR2r;
let provider: Awaited<ReturnType<typeof startFakeOpenAi>>;

beforeAll(async () => {
  provider = await startFakeOpenAi();
  provider.otherwise(() => chatReply({ text: 'Done [1].' }));
  server = await startR2r({
    models: {
      providers: [{ name: 'fake', baseUrl: provider.baseUrl }],
      models: { quality: 'fake/gpt', fast: 'fake/gpt' },
    },
  });
  await client().documents.create({ raw_text: 'Puffins nest in burrows.' });
});
afterAll(async () => {
  await server.close();
  await provider.close();
});

const client = () => server.admin.client;

describe('the prompts client', () => {
  it('creates, lists, retrieves, changes and deletes', async () => {
    const { prompts } = client();
    const created = await prompts.create({ name: 'greet', template: 'Hello {name}', inputTypes: { name: 'str' } });
    expect(created.results.message).toContain('greet');
    const names = (await prompts.list()).results.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['greet', 'rag', 'system', 'hyde', 'static_rag_agent']));
    const retrieved = await prompts.retrieve({ name: 'greet', inputs: ['name=Ada'] });
    expect(retrieved.results).toMatchObject({ name: 'greet', template: 'Hello {name}', message: 'Hello Ada' });
    const overridden = await prompts.retrieve({ name: 'greet', inputs: ['Ada'], promptOverride: 'Bye {name}' });
    expect(overridden.results).toMatchObject({ message: 'Bye Ada' });
    await prompts.update({ name: 'greet', template: 'Hi {who}', inputTypes: { who: 'str' } });
    expect((await prompts.retrieve({ name: 'greet' })).results.template).toBe('Hi {who}');
    expect((await prompts.delete({ name: 'greet' })).results).toEqual({ success: true });
    await expect(prompts.retrieve({ name: 'greet' })).rejects.toThrow(/Status 404/);
    await expect(prompts.create({ name: 'rag', template: 'x', inputTypes: {} })).rejects.toThrow(/Status 409/);
  });

  it('changes the prompt from the next answer on, until the change is reverted', async () => {
    const { prompts, retrieval } = client();
    await prompts.update({ name: 'system', template: 'Answer like a pirate, with [1].' });
    await prompts.update({ name: 'rag', template: 'READ {context} THEN ANSWER {query}' });
    const asked = async () => {
      const before = provider.requests.length;
      await retrieval.rag({ query: 'Where do puffins nest?' });
      return JSON.stringify(provider.requests.slice(before));
    };
    const changed = await asked();
    expect(changed).toContain('Answer like a pirate');
    expect(changed).toMatch(/READ .*Puffins nest in burrows.* THEN ANSWER Where do puffins nest\?/);
    await prompts.delete({ name: 'system' });
    await prompts.delete({ name: 'rag' });
    expect(await asked()).not.toContain('pirate');
    await expect(prompts.update({ name: 'rag', template: 'No context' })).rejects.toThrow(/Status 400.*{context}/);
  });

  it('changes the agent’s instructions and the prompt for query variants', async () => {
    const { prompts, retrieval } = client();
    await prompts.update({ name: 'dynamic_rag_agent', template: 'You are a parrot. {date} {document_context}' });
    const before = provider.requests.length;
    await retrieval.agent({ message: { role: 'user', content: 'Who nests in burrows?' }, mode: 'rag' });
    const asked = JSON.stringify(provider.requests.slice(before));
    expect(asked).toMatch(/You are a parrot\. 20\d\d-\d\d-\d\d /);
    expect(asked).toContain('Puffins nest');
    await prompts.delete({ name: 'dynamic_rag_agent' });
  });

  it('describes a collection in a model’s words', async () => {
    const { collections } = client();
    const { id } = (await collections.create({ name: 'sea birds' })).results;
    const { documentId } = (await client().documents.create({ raw_text: 'Gulls steal chips.' })).results;
    await collections.addDocument({ id, documentId });
    provider.next(chatReply({ text: 'About birds of the sea.' }));
    const { results } = await collections.update({ id, generateDescription: true });
    expect(results.description).toBe('About birds of the sea.');
  });

  it('is restricted to superusers', async () => {
    const bob = await server.newcomer('bob');
    await expect(bob.client.prompts.list()).rejects.toThrow(/Status 403/);
    await expect(bob.client.prompts.update({ name: 'rag', template: 'x' })).rejects.toThrow(/Status 403/);
  });
});
