import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { r2rClient } from 'r2r-js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { chatReply, startFakeOpenAi } from '../support/fake-openai.ts';
import { startCitewell } from './support/start-citewell.ts';
import type { RunningHttp } from './support/start-http.ts';

// R2R's public client, unmodified, against this service.

let http: RunningHttp;
let client: r2rClient;
let folder: string;
let provider: Awaited<ReturnType<typeof startFakeOpenAi>>;

beforeAll(async () => {
  provider = await startFakeOpenAi();
  provider.otherwise(() => chatReply({ text: 'The capital is named there [1].' }));
  http = await startCitewell({
    models: { providers: [{ name: 'fake', baseUrl: provider.baseUrl }], models: { quality: 'fake/gpt' } },
  });
  // The client reads its credentials from this variable.
  vi.stubEnv('R2R_API_KEY', '');
  client = new r2rClient(http.url);
  folder = await mkdtemp(join(tmpdir(), 'citewell-r2r-'));
});
afterAll(async () => {
  await http.close();
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function read(stream: unknown): Promise<string> {
  return new Response(stream as ReadableStream<Uint8Array>).text();
}

describe('documents', () => {
  it('create from a path, retrieve, list, download and delete', async () => {
    const path = await file('marmeladov.txt', 'Marmeladov drinks.\nSonya reads.');
    const created = await client.documents.create({
      file: path,
      metadata: { title: 'marmeladov.txt', numericId: 123 },
    });
    expect(created.results).toMatchObject({
      message: expect.any(String),
      taskId: null,
      documentId: expect.any(String),
    });
    const id = created.results.documentId;
    const retrieved = await client.documents.retrieve({ id });
    // The client lower-cases metadata keys.
    expect(retrieved.results).toMatchObject({ id, ingestionStatus: 'success', metadata: { numericid: 123 } });
    const listed = await client.documents.list({ ids: [id], limit: 10, ownerOnly: true });
    expect(listed).toMatchObject({ totalEntries: 1, results: [{ id }] });
    expect(await client.documents.download({ id })).toBeInstanceOf(Blob);
    expect(await client.documents.delete({ id })).toMatchObject({ results: { success: true } });
    await expect(client.documents.retrieve({ id })).rejects.toThrow(/Status 404: There is no document/);
  });

  it('create from text, from chunks, and with every option', async () => {
    const text = await client.documents.create({ raw_text: 'This is a test document', runWithOrchestration: false });
    expect(text.results.documentId).toBe('5556836e-a51c-57c7-916a-de76c79df2b6');
    const chunks = await client.documents.create({
      chunks: ['A first chunk.', 'A second chunk.'],
      id: '22222222-2222-4222-8222-222222222222',
      metadata: { year: 2024 },
      collectionIds: ['33333333-3333-4333-8333-333333333333'],
      ingestionMode: 'custom',
      ingestionConfig: { chunkSize: 100, skipDocumentSummary: true },
    });
    const { id } = (await client.documents.retrieve({ id: chunks.results.documentId })).results;
    expect(id).toBe('22222222-2222-4222-8222-222222222222');
    const listed = await client.documents.listChunks({ id, includeVectors: true });
    expect(listed).toMatchObject({
      totalEntries: 2,
      results: [{ text: 'A first chunk.' }, { text: 'A second chunk.' }],
    });
  });

  it('shows why a document is refused', async () => {
    const bad = await file('invalid.json', '{');
    await expect(client.documents.create({ file: bad })).rejects.toThrow(/Status 400: /);
    const twice = { raw_text: 'Twice.', id: '44444444-4444-4444-8444-444444444444' };
    await client.documents.create(twice);
    await expect(client.documents.create(twice)).rejects.toThrow(/Status 409: /);
    await expect(client.documents.create({ ...twice, id: 'x' })).rejects.toThrow(/Status 422: id: This must be a UUID/);
  });

  it('append and replace metadata', async () => {
    const { results } = await client.documents.create({ raw_text: 'Metadata come and go.', metadata: { a: 1 } });
    const id = results.documentId;
    const appended = await client.documents.appendMetadata({ id, metadata: [{ b: 2 }] });
    expect(appended.results.metadata).toMatchObject({ a: 1, b: 2 });
    const replaced = await client.documents.replaceMetadata({ id, metadata: [{ c: 3 }] });
    expect(replaced.results.metadata).not.toHaveProperty('a');
  });

  it('delete by filter', async () => {
    const { results } = await client.documents.create({ raw_text: 'Soon deleted.' });
    const deleted = await client.documents.deleteByFilter({ filters: { document_id: { $eq: results.documentId } } });
    expect(deleted.results).toMatchObject({ success: true, documents: 1 });
  });

  it('search, in camel case', async () => {
    await client.documents.create({ raw_text: 'Anything.', metadata: { title: 'Ornithology today' } });
    const found = await client.documents.search({
      query: 'ornithology',
      searchSettings: { limit: 3, useHybridSearch: true, filters: { title: { $eq: 'Ornithology today' } } },
    });
    expect(found).toMatchObject({ totalEntries: 1, results: [{ title: 'Ornithology today' }] });
  });
});

describe('retrieval', () => {
  beforeAll(async () => {
    await client.documents.create({ raw_text: 'The capital of Portugal is Lisbon.', metadata: { numeric_id: 7 } });
    await client.documents.create({ raw_text: 'The capital of Norway is Oslo.', metadata: { numeric_id: 8 } });
  });

  it('search with settings and filters', async () => {
    const found = await client.retrieval.search({
      query: 'capital Norway',
      searchMode: 'custom',
      searchSettings: {
        limit: 1,
        useHybridSearch: true,
        hybridSettings: { fulltextWeight: 1, semanticWeight: 5, fulltextLimit: 200, rrfK: 50 },
        filters: { numericId: { $in: [8] } },
      },
    });
    expect(found.results.chunkSearchResults).toMatchObject([{ text: 'The capital of Norway is Oslo.' }]);
    await expect(client.retrieval.search({ query: '' })).rejects.toThrow(/Status 400: The query is empty/);
  });

  it('rag, whole', async () => {
    const answer = await client.retrieval.rag({
      query: 'capital of Portugal Lisbon',
      ragGenerationConfig: { maxTokens: 100, temperature: 0, stream: false },
      includeTitleIfAvailable: true,
    });
    expect(answer.results).toMatchObject({
      generatedAnswer: 'The capital is named there [1].',
      completion: 'The capital is named there [1].',
      citations: [
        expect.objectContaining({ id: 'cit.1', payload: expect.objectContaining({ quotes: [expect.anything()] }) }),
      ],
    });
  });

  it('rag, streamed', async () => {
    const stream = await client.retrieval.rag({
      query: 'capital of Norway Oslo',
      ragGenerationConfig: { stream: true },
    });
    const text = await read(stream);
    const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    expect(names[0]).toBe('search_results');
    expect(names).toEqual(expect.arrayContaining(['message', 'citation']));
    expect(names.slice(-2)).toEqual(['final_answer', 'done']);
    expect(text).toContain('The capital of Norway is Oslo.');
  });

  it('agent, whole, and a turn that follows in its conversation', async () => {
    provider.next(
      chatReply({
        toolCalls: [{ id: 'c', name: 'search_file_knowledge', arguments: '{"query":"capital of Norway"}' }],
      }),
    );
    const first = await client.retrieval.agent({
      message: { role: 'user', content: 'What is the capital of Norway?' },
      searchSettings: { useHybridSearch: true, filters: { numericId: { $eq: 8 } } },
      ragGenerationConfig: { maxTokens: 100, temperature: 0, topP: 1, stream: false },
      ragTools: ['search_file_knowledge', 'get_file_content'],
      researchTools: ['rag'],
      includeTitleIfAvailable: false,
      useSystemContext: false,
      maxToolContextLength: 10_000,
      mode: 'rag',
      needsInitialConversationName: true,
    });
    const { messages, conversationId } = first.results;
    expect(messages[0]).toMatchObject({
      role: 'assistant',
      content: 'The capital is named there [1].',
      metadata: { citations: [{ id: 'cit.1' }] },
    });
    const { results } = await client.conversations.list({ ids: [conversationId] });
    expect(results).toMatchObject([{ id: conversationId, name: expect.stringContaining('capital') }]);

    const second = await client.retrieval.agent({
      message: { role: 'user', content: 'Is it large?' },
      conversationId,
      mode: 'rag',
    });
    expect(second.results.conversationId).toBe(conversationId);
    const kept = (await client.conversations.retrieve({ id: conversationId })).results;
    expect(kept.map(({ message }) => message.role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    await client.conversations.addMessage({ id: conversationId, content: 'Thank you.', role: 'user' });
    await client.conversations.delete({ id: conversationId });
    await expect(
      client.retrieval.agent({ message: { role: 'user', content: 'Still there?' }, conversationId }),
    ).rejects.toThrow(/Status 404: There is no conversation/);
  });

  it('agent, streamed, in both modes', async () => {
    const message = { role: 'user' as const, content: 'What is the capital of Norway?' };
    const namesOf = async (options: object) => {
      const stream = await client.retrieval.agent({ message, ...options });
      return [...(await read(stream)).matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    };
    const rag = await namesOf({ ragGenerationConfig: { stream: true } });
    expect(rag.slice(-2)).toEqual(['final_answer', 'done']);
    expect(rag[0]).toBe('message');
    const research = await namesOf({ mode: 'research', researchGenerationConfig: { stream: true, model: 'fake/gpt' } });
    expect(research.slice(-2)).toEqual(['final_answer', 'done']);
  });

  it('agent, with a tool that does not exist', async () => {
    const message = { role: 'user' as const, content: 'Hi' };
    await expect(client.retrieval.agent({ message, tools: ['teleport'] })).rejects.toThrow(/Status 422: .*teleport/);
  });

  it('completion, whole and streamed', async () => {
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    const whole = await client.retrieval.completion({ messages, generationConfig: { maxTokens: 5, topP: 1 } });
    expect(whole.results.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'The capital is named there [1].' },
    });
    const stream = await client.retrieval.completion({ messages, generationConfig: { stream: true } });
    expect(await read(stream)).toMatch(/^(event: message\ndata: .*\n\n)+event: done\ndata: \[DONE\]\n\n$/);
  });

  it('embedding', async () => {
    const { results } = (await client.retrieval.embedding({ text: 'words' })) as unknown as { results: number[] };
    expect(results.length).toBeGreaterThan(8);
    expect(results.every((value) => typeof value === 'number')).toBe(true);
    expect(await client.retrieval.embedding({ text: '{"a":1}' })).toMatchObject({ results: expect.any(Array) });
  });

  it('errors of streams reach the caller', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    await expect(client.retrieval.rag({ query: ' ', ragGenerationConfig: { stream: true } })).rejects.toThrow(
      /HTTP error! status: 400: The query is empty/,
    );
  });
});

describe('conversations', () => {
  it('create, list, retrieve, update, delete, and their messages', async () => {
    const { id } = (await client.conversations.create()).results;
    const named = (await client.conversations.create({ name: 'Named' })).results;
    expect(named.name).toBe('Named');
    expect((await client.conversations.list({ ids: [id, named.id] })).totalEntries).toBe(2);
    expect((await client.conversations.update({ id, name: 'Renamed' })).results.name).toBe('Renamed');
    const first = await client.conversations.addMessage({ id, content: 'Hello', role: 'user' });
    await client.conversations.addMessage({ id, content: 'Hi', role: 'assistant', parentID: first.results.id });
    const edited = await client.conversations.updateMessage({ id, messageID: first.results.id, content: 'Good day' });
    expect(edited.results).toMatchObject({ metadata: { edited: true } });
    const messages = (await client.conversations.retrieve({ id })).results;
    expect(messages.map(({ message }) => message.content)).toEqual(['Good day', 'Hi']);
    expect(await client.conversations.delete({ id })).toMatchObject({ results: { success: true } });
    await expect(client.conversations.retrieve({ id })).rejects.toThrow(/Status 404/);
  });
});

describe('system', () => {
  it('health and status', async () => {
    expect((await client.system.health()).results.message).toBe('ok');
    expect((await client.system.status()).results).toMatchObject({
      startTime: expect.any(String),
      uptimeSeconds: expect.any(Number),
      cpuUsage: expect.any(Number),
      memoryUsage: expect.any(Number),
    });
  });
});
