import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { r2rClient } from 'r2r-js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { linesAt, makePdf } from '../../ingest/make-pdf.ts';
import { chatReply, startFakeOpenAi } from '../../support/fake-openai.ts';
import { describedAnswers } from '../support/described-answers.ts';
import { type RunningR2r, rowsOf, startR2r } from '../support/start-r2r.ts';
import { eventsOf } from '../support/stream.ts';
import { groupsOf, savedBy, watchClient } from '../support/watch-client.ts';

// Calls every method of R2R's public client once against one service. Other tests cover the details of each method;
// this one makes sure that none is missing.

let server: RunningR2r;
let admin: r2rClient;
let ada: r2rClient;
let adaId: string;
let provider: Awaited<ReturnType<typeof startFakeOpenAi>>;
let files: Server;
let filesUrl: string;
let folder: string;
/** `documents.create`… */
const called = new Set<string>();

const PASSWORD = 'a long pass phrase';
const TEXT = 'Marie Curie worked in Paris. Paris lies on the Seine. Marie Curie discovered radium with Pierre Curie.';

beforeAll(async () => {
  provider = await startFakeOpenAi();
  provider.otherwise(() => chatReply({ text: 'She worked in Paris [1].' }));
  server = await startR2r({
    models: { providers: [{ name: 'fake', baseUrl: provider.baseUrl }], models: { quality: 'fake/gpt' } },
  });
  admin = watched(server.admin.client);
  const newcomer = await server.newcomer('ada');
  ada = watched(newcomer.client);
  adaId = newcomer.id;
  folder = await mkdtemp(join(tmpdir(), 'citewell-methods-'));
  files = createServer(({ url }, response) =>
    response.end(
      url === '/sample' ? makePdf([linesAt(72, 700, ['A model that reasons.'])]) : 'Radium glows in the dark.',
    ),
  );
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  filesUrl = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
});
afterAll(async () => {
  files.close();
  await provider.close();
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

const watched = (client: r2rClient): r2rClient => watchClient(client, called);

async function streamed(path: string, stream: unknown): Promise<string[]> {
  const events = eventsOf(await new Response(stream as ReadableStream<Uint8Array>).text());
  const { problemOfEvent } = describedAnswers();
  expect(events.flatMap((event) => problemOfEvent('post', path, event) ?? [])).toEqual([]);
  return events.map(({ name }) => name);
}

const documentOf = async (client: r2rClient, raw_text = TEXT, more: object = {}): Promise<string> =>
  (await client.documents.create({ raw_text, ...more })).results.documentId;

// The last test looks back at what the others called.
describe('every method of r2r-js works:', { shuffle: false }, () => {
  it('users', async () => {
    const { users } = admin;
    const email = 'bob@example.org';
    const created = (await users.create({ email, password: PASSWORD, name: 'Bob' })).results;
    expect(created).toMatchObject({ email, name: 'Bob', isSuperuser: false });
    const bob = watched(new r2rClient(server.url));
    expect((await bob.users.login({ email, password: PASSWORD })).results.accessToken.tokenType).toBe('access');
    const before = (bob as unknown as { accessToken: string }).accessToken;
    expect((await bob.users.refreshAccessToken()).results.accessToken.token).not.toBe(before);
    expect((await bob.users.me()).results.id).toBe(created.id);
    await bob.users.changePassword({ current_password: PASSWORD, new_password: `${PASSWORD} of old` });
    expect((await bob.users.logout()).results.message).toMatch(/Logged out/);
    await expect(bob.users.me()).rejects.toThrow(/Status 401/);
    const login = await bob.users.login({ email, password: `${PASSWORD} of old` });
    const token = watched(new r2rClient(server.url));
    await token.users.loginWithToken({ accessToken: login.results.accessToken.token });
    expect((await token.users.me()).results.email).toBe(email);

    const code = async (userId: string, purpose: 'verify' | 'reset'): Promise<string> => {
      const headers = { ...server.admin.headers, 'content-type': 'application/json' };
      const response = await server.post(`/v3/users/${userId}/codes`, { purpose }, { headers });
      const { results } = (await response.json()) as { results: { code: string } };
      return results.code;
    };
    expect((await users.requestPasswordReset(email)).results.message).toMatch(/can be reset/);
    await users.resetPassword({ reset_token: await code(created.id, 'reset'), new_password: PASSWORD });
    await bob.users.login({ email, password: PASSWORD });
    const unverified = 'carol@example.org';
    const carol = (await users.create({ email: unverified, password: PASSWORD, isVerified: false })).results;
    expect((await users.sendVerificationEmail({ email: unverified })).results.message).toMatch(/verification email/);
    const verification_code = await code(carol.id, 'verify');
    await users.verifyEmail({ email: unverified, verification_code } as never);
    expect((await users.retrieve({ id: carol.id })).results.isVerified).toBe(true);

    expect((await users.list({ ids: [created.id] })).totalEntries).toBe(1);
    expect((await users.update({ id: created.id, bio: 'Reads.' })).results.bio).toBe('Reads.');
    const collection = (await admin.collections.create({ name: 'For Bob' })).results;
    await users.addToCollection({ id: created.id, collectionId: collection.id });
    const names = (await users.listCollections({ id: created.id })).results.map(({ name }) => name);
    expect(names).toContain('For Bob');
    await users.removeFromCollection({ id: created.id, collectionId: collection.id });
    expect(await users.getLimits({ id: created.id })).toMatchObject({ results: { storageLimits: expect.anything() } });

    const key = (await bob.users.createApiKey({ id: created.id, name: 'laptop' })).results;
    const byKey = new r2rClient(server.url);
    byKey.setApiKey(key.apiKey);
    expect((await byKey.users.me()).results.id).toBe(created.id);
    expect((await bob.users.listApiKeys({ id: created.id })).results).toMatchObject([{ keyId: key.keyId }]);
    await bob.users.deleteApiKey({ id: created.id, keyId: key.keyId });
    await expect(byKey.users.me()).rejects.toThrow(/Status 401/);

    const rows = await rowsOf(await users.export({ columns: ['email'] }));
    expect(rows).toContain('"bob@example.org"');
    const saved = await savedBy(() => users.exportToFile({ filename: 'users.csv', columns: ['email'] }));
    expect(saved).toMatchObject({ name: 'users.csv', text: expect.stringContaining('bob@example.org') });
    await users.delete({ id: created.id, password: PASSWORD });
    await expect(users.retrieve({ id: created.id })).rejects.toThrow(/Status 404/);

    for (const call of [
      () => users.oauthGoogleAuthorize(),
      () => users.oauthGithubAuthorize(),
      () => users.oauthGoogleCallback({ code: 'c', state: 's' }),
      () => users.oauthGithubCallback({ code: 'c', state: 's' }),
    ]) {
      await expect(call()).rejects.toThrow(/Status 503: Login with .* is not supported/);
    }
  });

  it('documents', async () => {
    const { documents } = ada;
    const id = await documentOf(ada, TEXT, { metadata: { title: 'Curie' } });
    expect((await documents.retrieve({ id })).results).toMatchObject({
      id,
      title: 'Curie',
      ingestionStatus: 'success',
    });
    expect((await documents.list({ ids: [id] })).totalEntries).toBe(1);
    await documents.appendMetadata({ id, metadata: [{ year: 1898 }] });
    expect((await documents.retrieve({ id })).results.metadata).toMatchObject({ year: 1898 });
    await documents.replaceMetadata({ id, metadata: [{ title: 'Radium' }] });
    expect((await documents.retrieve({ id })).results.metadata).not.toHaveProperty('year');
    // In Node, the client returns JSON bytes for it.
    expect(await documents.download({ id })).toBeInstanceOf(Blob);
    expect((await documents.listChunks({ id })).results[0]?.text).toContain('Marie Curie');
    expect((await admin.documents.listCollections({ id })).totalEntries).toBe(1);
    const found = await documents.search({ query: 'Radium' } as never);
    expect(found.results.map((each) => each.id)).toContain(id);

    expect((await documents.extract({ id })).results.message).toMatch(/completed/);
    await documents.deduplicate({ id });
    const entities = (await documents.listEntities({ id })).results.map(({ name }) => name);
    expect(entities).toContain('Marie Curie');
    expect((await documents.listRelationships({ id })).totalEntries).toBeGreaterThan(0);

    const owner = admin.documents;
    expect(await rowsOf(await owner.export({ columns: ['id'] }))).toContain(`"${id}"`);
    expect((await rowsOf(await owner.exportEntities({ id }))).length).toBeGreaterThan(1);
    expect((await rowsOf(await owner.exportRelationships({ id }))).length).toBeGreaterThan(1);
    const file = { filename: 'x.csv' };
    expect((await savedBy(() => owner.exportToFile(file))).text).toContain(id);
    expect((await savedBy(() => owner.exportEntitiesToFile({ id, ...file }))).text).toContain('Marie Curie');
    expect((await savedBy(() => owner.exportRelationshipsToFile({ id, ...file }))).text).toContain('"subject"');
    const zip = join(folder, 'all.zip');
    await documents.downloadZip({ documentIds: [id], outputPath: zip });
    expect((await readFile(zip)).subarray(0, 2).toString()).toBe('PK');
    expect((await savedBy(() => documents.downloadZipToFile({ documentIds: [id], filename: 'all.zip' }))).text).toMatch(
      /^PK/,
    );

    await documents.deleteByFilter({ filters: { document_id: { $eq: id } } });
    await expect(documents.retrieve({ id })).rejects.toThrow(/Status 404/);
    const other = await documentOf(ada, 'Another one.');
    expect((await documents.delete({ id: other })).results.success).toBe(true);
  });

  it('documents from a file, from an address, and the sample', async () => {
    const { documents } = ada;
    const path = join(folder, 'seine.txt');
    await writeFile(path, 'The Seine flows to the sea.');
    const fromFile = (await documents.create({ file: path })).results.documentId;
    expect((await documents.retrieve({ id: fromFile })).results.title).toBe('seine.txt');

    // In all its versions, the client deletes the downloaded file before reading it; with the deletion delayed, the
    // upload works.
    const fs = createRequire(import.meta.url)('node:fs');
    const left: string[] = [];
    vi.spyOn(fs, 'existsSync').mockImplementation((each) => {
      left.push(String(each));
      return false;
    });
    const fetched = await documents.create({ s3Url: `${filesUrl}/bucket/radium.txt?signature=x` });
    vi.mocked(fs.existsSync).mockRestore();
    for (const each of left) await rm(each, { force: true });
    const { id, title } = (await documents.retrieve({ id: fetched.results.documentId })).results;
    expect(title).toBe('radium.txt');
    expect((await documents.listChunks({ id })).results[0]?.text).toBe('Radium glows in the dark.');

    const require = createRequire(import.meta.resolve('r2r-js'));
    const axios = require('axios').default;
    const { get } = axios;
    const asked: string[] = [];
    vi.spyOn(axios, 'get').mockImplementation((url, options) => {
      asked.push(String(url));
      return get(`${filesUrl}/sample`, options);
    });
    const sample = (await documents.createSample()).results.documentId;
    expect(asked).toEqual([expect.stringContaining('DeepSeek_R1.pdf')]);
    vi.mocked(axios.get).mockRestore();
    expect((await documents.listChunks({ id: sample })).results[0]?.text).toBe('A model that reasons.');
  });

  it('chunks', async () => {
    const { chunks } = ada;
    const made = await chunks.create({ chunks: [{ text: 'Polonium.' }, { text: 'Radium.' }] } as never);
    const { documentId } = (made.results as unknown as { documentId: string }[])[0] ?? { documentId: '' };
    const listed = (await ada.documents.listChunks({ id: documentId })).results;
    expect(listed.map(({ text }) => text)).toEqual(['Polonium.', 'Radium.']);
    const id = listed[0]?.id ?? '';
    expect((await chunks.retrieve({ id })).results.text).toBe('Polonium.');
    expect((await chunks.update({ id, text: 'Polonium glows.' })).results.text).toBe('Polonium glows.');
    expect((await chunks.list({ limit: 1000 })).results.map(({ text }) => text)).toContain('Polonium glows.');
    expect((await chunks.delete({ id })).results.success).toBe(true);
    await expect(chunks.retrieve({ id })).rejects.toThrow(/Status 404/);
  });

  it('collections', async () => {
    const { collections } = ada;
    const { id } = (await collections.create({ name: 'Elements' })).results;
    expect((await collections.retrieve({ id })).results.name).toBe('Elements');
    expect((await collections.retrieveByName({ name: 'Elements' })).results.id).toBe(id);
    expect((await collections.list({ ids: [id] })).totalEntries).toBe(1);
    expect((await collections.update({ id, description: 'Of nature' })).results.description).toBe('Of nature');
    const documentId = await documentOf(ada, 'Pierre Curie lived in Paris with Marie Curie.');
    await collections.addDocument({ id, documentId });
    expect((await collections.listDocuments({ id })).results.map((each) => each.id)).toEqual([documentId]);
    const extracted = (await collections.extract({ collectionId: id })) as unknown as { results: { message: string } };
    expect(extracted.results.message).toMatch(/1 documents/);
    const other = (await server.newcomer('dora')).id;
    await collections.addUser({ id, userId: other });
    expect((await collections.listUsers({ id })).totalEntries).toBe(2);
    await collections.removeUser({ id, userId: other });
    expect(await rowsOf(await collections.export({ columns: ['name'] }))).toContain('"Elements"');
    const saved = await savedBy(() => collections.exportToFile({ filename: 'c.csv' }));
    expect(saved.text).toContain('Elements');
    await collections.removeDocument({ id, documentId });
    expect((await collections.delete({ id })).results.success).toBe(true);
  });

  it('conversations', async () => {
    const { conversations } = ada;
    const { id } = (await conversations.create({ name: 'Talk' })).results;
    const message = (await conversations.addMessage({ id, role: 'user', content: 'And then?' })).results;
    await conversations.addMessage({ id, role: 'assistant', content: 'Radium.', parentID: message.id });
    const edited = await conversations.updateMessage({ id, messageID: message.id, content: 'And now?' });
    expect(edited.results.message.content).toBe('And now?');
    const all = (await conversations.retrieve({ id })).results;
    expect(all.map((each) => each.message.role)).toEqual(['user', 'assistant']);
    expect((await conversations.list()).results.map((each) => each.id)).toContain(id);
    expect((await conversations.update({ id, name: 'Renamed' })).results.name).toBe('Renamed');
    expect(await rowsOf(await conversations.export({ columns: ['name'] }))).toContain('"Renamed"');
    expect((await rowsOf(await conversations.exportMessages())).length).toBe(3);
    expect((await savedBy(() => conversations.exportToFile({ filename: 'c.csv' }))).text).toContain('Renamed');
    expect((await savedBy(() => conversations.exportMessagesToFile({ filename: 'm.csv' }))).text).toContain('And now?');
    expect((await conversations.delete({ id })).results.success).toBe(true);
  });

  it('graphs', async () => {
    const { graphs } = ada;
    const collectionId = (await ada.collections.create({ name: 'Graph' })).results.id;
    const documentId = await documentOf(ada, `${TEXT} Once more.`, { collectionIds: [collectionId] });
    await ada.documents.extract({ id: documentId });
    expect((await graphs.pull({ collectionId })).results.success).toBe(true);
    expect((await graphs.list({ collectionIds: [collectionId] })).totalEntries).toBe(1);
    expect((await graphs.update({ collectionId, name: 'Science' })).results.name).toBe('Science');
    expect((await graphs.retrieve({ collectionId })).results).toMatchObject({ documentIds: [documentId] });

    const made = { collectionId, description: 'By hand', category: 'Person' };
    const subject = (await graphs.createEntity({ ...made, name: 'Irène' })).results;
    const object = (await graphs.createEntity({ ...made, name: 'Frédéric' })).results;
    expect((await graphs.listEntities({ collectionId })).results.map(({ name }) => name)).toContain('Irène');
    const entityId = subject.id;
    expect((await graphs.getEntity({ collectionId, entityId })).results.name).toBe('Irène');
    const changed = await graphs.updateEntity({ collectionId, entityId, description: 'A chemist' });
    expect(changed.results.description).toBe('A chemist');

    const relationship = await graphs.createRelationship({
      collectionId,
      subject: 'Irène',
      subjectId: subject.id,
      predicate: 'married',
      object: 'Frédéric',
      objectId: object.id,
      description: 'In 1926',
      weight: 2,
    });
    const relationshipId = relationship.results.id;
    expect((await graphs.listRelationships({ collectionId })).totalEntries).toBeGreaterThan(1);
    expect((await graphs.getRelationship({ collectionId, relationshipId })).results.predicate).toBe('married');
    const other = { collectionId, relationshipId, description: 'In October 1926' } as never;
    expect((await graphs.updateRelationship(other)).results.description).toBe('In October 1926');

    const built = (await graphs.buildCommunities({ collectionId })) as unknown as { results: { message: string } };
    expect(built.results.message).toMatch(/built/);
    const community = { collectionId, name: 'Couples', summary: 'Who married', findings: ['Two'], rating: 7 };
    const communityId = (await graphs.createCommunity(community as never)).results.id;
    expect((await graphs.listCommunities({ collectionId })).results.map(({ name }) => name)).toContain('Couples');
    expect((await graphs.getCommunity({ collectionId, communityId })).results.rating).toBe(7);
    expect((await graphs.updateCommunity({ collectionId, communityId, rating: 8 } as never)).results.rating).toBe(8);

    const owner = admin.graphs;
    expect((await rowsOf(await owner.exportEntities({ collectionId, columns: ['name'] }))).join()).toContain('Irène');
    expect((await rowsOf(await owner.exportRelationships({ collectionId }))).join()).toContain('married');
    expect((await rowsOf(await owner.exportCommunities({ collectionId }))).join()).toContain('Couples');
    const file = { collectionId, filename: 'g.csv' };
    expect((await savedBy(() => owner.exportEntitiesToFile(file))).text).toContain('Irène');
    expect((await savedBy(() => owner.exportRelationshipsToFile(file))).text).toContain('married');
    // The client requests relationships here.
    expect((await savedBy(() => owner.exportCommunitiesToFile(file))).text).toContain('married');

    await graphs.deleteCommunity({ collectionId, communityId });
    await graphs.removeRelationship({ collectionId, relationshipId });
    await graphs.removeEntity({ collectionId, entityId });
    await graphs.removeDocument({ collectionId, documentId });
    expect((await graphs.listEntities({ collectionId })).results.map(({ name }) => name)).toEqual(['Frédéric']);
    expect((await graphs.reset({ collectionId })).results.success).toBe(true);
    expect((await graphs.listEntities({ collectionId })).totalEntries).toBe(0);
  });

  it('prompts, indices and system', async () => {
    const { prompts, indices, system } = admin;
    await prompts.create({ name: 'greeting', template: 'Hello {name}', inputTypes: { name: 'str' } });
    expect((await prompts.list()).results.map(({ name }) => name)).toContain('greeting');
    expect((await prompts.retrieve({ name: 'greeting', inputs: ['Marie'] as never })).results).toMatchObject({
      template: 'Hello {name}',
      message: 'Hello Marie',
    });
    await prompts.update({ name: 'greeting', template: 'Bonjour {name}', inputTypes: { name: 'str' } });
    expect((await prompts.delete({ name: 'greeting' })).results.success).toBe(true);

    const listed = (await indices.list()) as unknown as { results: { indices: { index: { name: string } }[] } };
    const names = { indexName: listed.results.indices[0]?.index.name ?? '', tableName: 'chunks' };
    expect((await indices.retrieve(names)).results).toMatchObject({ index: { name: names.indexName } });
    expect((await indices.create({ config: { table_name: 'chunks' } as never })).results.message).toMatch(/index/);
    await expect(indices.delete(names)).rejects.toThrow(/Status 409/);

    expect((await system.health()).results.message).toBe('ok');
    expect((await system.status()).results.uptimeSeconds).toBeGreaterThanOrEqual(0);
    expect((await system.settings()).results).toHaveProperty('config');
  });

  it('retrieval', async () => {
    const { retrieval } = ada;
    const stream = { stream: true };
    await documentOf(ada, `${TEXT} For retrieval.`);
    const found = await retrieval.search({ query: 'Where did Marie Curie work?' });
    expect(found.results.chunkSearchResults[0]?.text).toContain('Paris');
    const answer = await retrieval.rag({ query: 'Where did Marie Curie work?' });
    expect(answer.results).toMatchObject({ generatedAnswer: 'She worked in Paris [1].', citations: [{ id: 'cit.1' }] });
    const rag = await retrieval.rag({ query: 'Where did she work?', ragGenerationConfig: stream });
    expect(await streamed('/v3/retrieval/rag', rag)).toEqual(
      expect.arrayContaining(['search_results', 'message', 'citation', 'final_answer', 'done']),
    );
    const message = { role: 'user' as const, content: 'Where did Marie Curie work?' };
    const asked = await retrieval.agent({ message });
    expect(asked.results).toMatchObject({ messages: [{ role: 'assistant' }], conversationId: expect.any(String) });
    const agent = await retrieval.agent({ message, ragGenerationConfig: stream });
    expect(await streamed('/v3/retrieval/agent', agent)).toEqual(expect.arrayContaining(['message', 'final_answer']));
    const completion = await retrieval.completion({ messages: [message] });
    expect(completion.results.choices[0]?.message.content).toBe('She worked in Paris [1].');
    const streamedCompletion = await retrieval.completion({ messages: [message], generationConfig: stream });
    expect(await streamed('/v3/retrieval/completion', streamedCompletion)).toContain('message');
    expect((await retrieval.embedding({ text: 'Paris' })).results.length).toBeGreaterThan(10);
  });

  it('no method is missing from this test', () => {
    const all = groupsOf(new r2rClient(server.url)).flatMap(([room, , names]) =>
      names.map((name) => `${room}.${name}`),
    );
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter((name) => !called.has(name))).toEqual([]);
  });
});

describe('the client itself', () => {
  it('refreshes expired tokens by itself', async () => {
    const login = await new r2rClient(server.url).users.login({ email: 'ada@example.org', password: PASSWORD });
    let tokens = { accessToken: `${login.results.accessToken.token}x`, refreshToken: login.results.refreshToken.token };
    const client = new r2rClient(server.url, false, {
      getTokensCallback: () => tokens,
      setTokensCallback: (accessToken, refreshToken) => {
        tokens = { accessToken: accessToken ?? '', refreshToken: refreshToken ?? '' };
      },
    });
    client.setTokens(tokens.accessToken, tokens.refreshToken);
    expect((await client.users.me()).results.id).toBe(adaId);
    expect(tokens.refreshToken).not.toBe(login.results.refreshToken.token);
  });

  it('may set a project name without effect', async () => {
    const client = new r2rClient(server.url);
    await client.users.login({ email: 'ada@example.org', password: PASSWORD });
    client.setProjectName('default');
    expect((await client.users.me()).results.id).toBe(adaId);
    client.unsetProjectName();
    expect((await client.users.me()).results.id).toBe(adaId);
  });
});
