import { describe, expect, it } from 'vitest';
import { startInProcess } from './support/in-process.ts';

const eras = ['legacy', 'modern'] as const;

describe('resources', () => {
  it.each(eras)('are the index, documents and chunks (%s)', async (era) => {
    const mcp = await startInProcess();
    const id = await mcp.add('France', 'The capital of France is Paris.');
    const client = await mcp.connect(era);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'kb://index',
      'ui://citewell/source',
      `kb://documents/${id}`,
      'skill://answer-with-checked-citations/SKILL.md',
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'kb://documents/{document_id}',
      'kb://documents/{document_id}/chunks/{chunk_id}',
      'citewell://run/{run_id}/{name}',
      'skill://{+path}',
    ]);
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
    expect(await read('kb://index')).toMatchObject({
      text: `1 documents, 1 chunks.\nkb://documents/${id} France (txt)`,
    });
    expect(await read(`kb://documents/${id}`)).toMatchObject({ text: 'The capital of France is Paris.' });
    const { items } = await mcp.services.corpus.chunksOf(id, { offset: 0, limit: 1 });
    expect(await read(`kb://documents/${id}/chunks/${items[0]?.id}`)).toMatchObject({
      text: 'The capital of France is Paris.',
    });
    await expect(read('kb://documents/00000000-0000-4000-8000-000000000000')).rejects.toThrow(/no document/);
    await expect(read(`kb://documents/${id}/chunks/${id}`)).rejects.toThrow(/no chunk/);
  });

  it('are completed by identifier and by title, in templates and prompts', async () => {
    const mcp = await startInProcess();
    const id = await mcp.add('France', 'The capital of France is Paris.');
    await mcp.add('Austria', 'The capital of Austria is Vienna.');
    const client = await mcp.connect();
    const complete = async (value: string) =>
      (
        await client.complete({
          ref: { type: 'ref/resource', uri: 'kb://documents/{document_id}' },
          argument: { name: 'document_id', value },
        })
      ).completion.values;
    expect(await complete('fran')).toEqual(['France']);
    const { contents } = await client.readResource({ uri: 'kb://documents/France' });
    expect(contents[0]).toMatchObject({ text: 'The capital of France is Paris.' });
    expect(await complete(id.slice(0, 6))).toEqual([id]);
    expect(await complete('')).toHaveLength(2);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'compare_documents' },
      argument: { name: 'first', value: 'france' },
    });
    expect(completion.values).toEqual(['France']);
    // A tool takes what a prompt was given.
    const read = await client.callTool({ name: 'get_file_content', arguments: { document_id: 'France' } });
    expect(read.structuredContent).toMatchObject({ document_id: id });
  });

  it('that change are announced to subscribed legacy clients', async () => {
    const mcp = await startInProcess();
    const id = await mcp.add('France', 'The capital of France is Paris.');
    const client = await mcp.connect('legacy');
    const updated: string[] = [];
    let lists = 0;
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updated.push(params.uri);
    });
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      lists++;
    });
    await client.subscribeResource({ uri: `kb://documents/${id}` });
    await mcp.services.corpus.setMetadata(id, { year: 2024 }, 'merge');
    await expect.poll(() => updated).toEqual([`kb://documents/${id}`]);
    await mcp.add('Austria', 'The capital of Austria is Vienna.');
    await expect.poll(() => lists).toBe(1);
    expect(updated).toHaveLength(1);
  });

  it('that change are announced to listening modern clients', async () => {
    const mcp = await startInProcess();
    const client = await mcp.connect('modern');
    const updated: string[] = [];
    let lists = 0;
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updated.push(params.uri);
    });
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      lists++;
    });
    const subscription = await client.listen({ resourcesListChanged: true, resourceSubscriptions: ['kb://index'] });
    await mcp.add('Austria', 'The capital of Austria is Vienna.');
    await expect.poll(() => lists).toBe(1);
    await expect.poll(() => updated).toEqual(['kb://index']);
    await subscription.close();
  });
});

describe('prompts', () => {
  it('name the tools to use and ask for citations', async () => {
    const client = await (await startInProcess()).connect();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      'answer_with_citations',
      'research_question',
      'compare_documents',
      'summarize_document',
      'find_gaps',
    ]);
    const given = { question: 'Why?', document_type: 'pdf' };
    const { messages } = await client.getPrompt({ name: 'answer_with_citations', arguments: given });
    const [message] = messages;
    expect(message?.content).toMatchObject({
      type: 'text',
      text: expect.stringMatching(/Why\?[\s\S]*"\$eq": "pdf"[\s\S]*Cite/),
    });
    await expect(client.getPrompt({ name: 'summarize_document', arguments: {} })).rejects.toThrow();
  });
});
