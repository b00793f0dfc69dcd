import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { createLexicalHash } from '../../src/embeddings/lexical-hash.ts';
import { apiSource } from '../../src/migrate/api-source.ts';
import { type MigrationEvent, migrateR2r } from '../../src/migrate/migrate-r2r.ts';
import { openMigrationState } from '../../src/migrate/migration-state.ts';
import { connectV3, type V3Connection } from '../../src/migrate/v3-connection.ts';
import { startCitewell } from '../http/support/start-citewell.ts';
import type { RunningHttp } from '../http/support/start-http.ts';
import { jsonReply, startFakeProvider } from '../support/fake-provider.ts';
import { PATIENT } from '../support/patience.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
type Body = any;

const read = async (http: RunningHttp, path: string): Promise<Body> =>
  ((await (await fetch(`${http.url}/v3${path}`)).json()) as Body).results;

async function make(http: RunningHttp, path: string, body: object): Promise<Body> {
  const response = await http.post(`/v3${path}`, body);
  return ((await response.json()) as Body).results;
}

// Each goes on where the one before stopped.
describe('a migration', { shuffle: false }, () => {
  let source: RunningHttp;
  let target: RunningHttp;
  let folder: string;
  const known = { collection: '', document: '', chunks: '', conversation: '' };

  beforeAll(async () => {
    [source, target] = await Promise.all([startCitewell(), startCitewell()]);
    folder = await mkdtemp(join(tmpdir(), 'citewell-migrate-'));
    known.collection = (await make(source, '/collections', { name: 'Cities', description: 'Capitals.' })).id;
    const form = new FormData();
    form.set('file', new Blob(['# Lisbon\n\nThe capital of Portugal is Lisbon.\n']), 'lisbon.md');
    form.set('metadata', JSON.stringify({ year: 2024, title: 'Of Lisbon' }));
    form.set('collection_ids', JSON.stringify([known.collection]));
    const uploaded = await fetch(`${source.url}/v3/documents`, { method: 'POST', body: form });
    known.document = ((await uploaded.json()) as Body).results.document_id;
    known.chunks = (
      await make(source, '/documents', { chunks: ['Oslo is in Norway.', 'Rome is in Italy.'] })
    ).document_id;
    known.conversation = (await make(source, '/conversations', { name: 'On cities' })).id;
    for (const [role, content] of [
      ['user', 'Where is Oslo?'],
      ['assistant', 'In Norway [1].'],
    ]) {
      await make(source, `/conversations/${known.conversation}/messages`, { role, content, metadata: { kept: true } });
    }
  });
  afterAll(async () => {
    await Promise.all([source.close(), target.close()]);
    await rm(folder, { recursive: true });
  });

  async function run(
    from = source.url,
    file = 'state.jsonl',
    into = target.url,
    wrap = (to: V3Connection): V3Connection => to,
  ): Promise<MigrationEvent[]> {
    const { signal } = new AbortController();
    const state = await openMigrationState(join(folder, file));
    const events = [];
    const migration = {
      from: apiSource(connectV3({ url: from }, signal)),
      to: wrap(connectV3({ url: into }, signal)),
      state,
      signal,
    };
    for await (const event of migrateR2r(migration)) events.push(event);
    return events;
  }

  const outcomes = (events: readonly MigrationEvent[]) =>
    events.flatMap((event) => (event.type === 'item' ? [`${event.kind} ${event.outcome}`] : [])).sort();

  it('copies everything, with the same identifiers', async () => {
    const events = await run();
    expect(events[0]).toMatchObject({ counts: { collection: 2, document: 2, conversation: 1 } });
    expect(outcomes(events)).toEqual([
      'collection copied',
      'collection present',
      'conversation copied',
      'document copied',
      'document copied',
    ]);
    const document = await read(target, `/documents/${known.document}`);
    expect(document).toMatchObject({ title: 'Of Lisbon', ingestion_status: 'success', document_type: 'md' });
    expect(document.metadata).toMatchObject({ year: 2024, first_ingested_at: expect.any(String) });
    expect(document.collection_ids).toEqual([known.collection]);
    expect(await read(target, `/collections/${known.collection}`)).toMatchObject({
      name: 'Cities',
      description: 'Capitals.',
    });
    const { chunk_search_results: found } = await make(target, '/retrieval/search', { query: 'Where is Oslo?' });
    expect(found[0]).toMatchObject({ document_id: known.chunks, text: expect.stringContaining('Oslo is in Norway.') });
    const [conversation] = await read(target, '/conversations');
    expect(conversation.name).toBe('On cities');
    const messages = await read(target, `/conversations/${conversation.id}`);
    expect(messages.map(({ message, metadata }: Body) => [message.role, message.content, metadata.kept])).toEqual([
      ['user', 'Where is Oslo?', true],
      ['assistant', 'In Norway [1].', true],
    ]);
  });

  it('is idempotent', async () => {
    expect(outcomes(await run()).filter((each) => !each.endsWith('present'))).toEqual([]);
    expect(await read(target, '/conversations')).toHaveLength(1);
  });

  it('copies a conversation again that an interrupted run had copied in part', async () => {
    const half = (await make(target, '/conversations', { name: 'half' })).id;
    const begun = { kind: 'conversation', from: known.conversation, to: half, state: 'begun' };
    // With a line truncated by the process being killed.
    await appendFile(join(folder, 'killed.jsonl'), `${JSON.stringify(begun)}\n{"kind":"docu`);
    await run(source.url, 'killed.jsonl');
    const names = (await read(target, '/conversations')).map(({ name }: Body) => name);
    expect(names).toEqual(['On cities', 'On cities']);
    expect(outcomes(await run(source.url, 'killed.jsonl'))).not.toContain('conversation copied');
  });

  it('leaves nothing of a conversation behind that a killed run was creating', async () => {
    const before = (await read(target, '/conversations')).length;
    await make(target, '/conversations', { name: 'On cities' });
    const begun = { kind: 'conversation', from: known.conversation, to: '', state: 'begun' };
    await appendFile(join(folder, 'creating.jsonl'), `${JSON.stringify(begun)}\n`);
    expect(outcomes(await run(source.url, 'creating.jsonl'))).toContain('conversation copied');
    const found = await read(target, '/conversations');
    expect(found).toHaveLength(before + 1);
    const lengths = await Promise.all(
      found.map(async ({ id }: Body) => (await read(target, `/conversations/${id}`)).length),
    );
    expect(lengths).not.toContain(0);
  });

  it('copies several conversations at once, but creates them in turns and deletes none that it has copied', async () => {
    const [chats, copies] = await Promise.all([startCitewell(), startCitewell()]);
    onTestFinished(async () => void (await Promise.all([chats.close(), copies.close()])));
    const ids: string[] = [];
    for (const content of ['', 'One.', 'Two.', 'Three.']) {
      const { id } = await make(chats, '/conversations', { name: 'Chat' });
      ids.push(id);
      if (content !== '') await make(chats, `/conversations/${id}/messages`, { role: 'user', content });
    }
    // A killed run was creating two of them.
    for (const id of ids.slice(1, 3)) {
      await make(copies, '/conversations', { name: 'Chat' });
      const begun = { kind: 'conversation', from: id, to: '', state: 'begun' };
      await appendFile(join(folder, 'chats.jsonl'), `${JSON.stringify(begun)}\n`);
    }
    const turns = { now: 0, most: 0 };
    const enter = () => {
      turns.now++;
      turns.most = Math.max(turns.most, turns.now);
    };
    const two = Promise.withResolvers<void>();
    const filled = new Set<string>();
    const watched = (to: V3Connection): V3Connection => ({
      ...to,
      async *list(path) {
        if (path !== '/conversations') return yield* to.list(path);
        enter();
        try {
          yield* to.list(path);
        } finally {
          turns.now--;
        }
      },
      async post(path, body) {
        if (path.endsWith('/messages')) {
          if (filled.add(path).size === 2) two.resolve();
          await two.promise;
          return to.post(path, body);
        }
        if (path !== '/conversations') return to.post(path, body);
        enter();
        try {
          return await to.post(path, body);
        } finally {
          turns.now--;
        }
      },
    });
    const events = await run(chats.url, 'chats.jsonl', copies.url, watched);
    expect(outcomes(events).filter((each) => each.startsWith('conversation'))).toEqual(
      Array(4).fill('conversation copied'),
    );
    expect(turns.most).toBe(1);
    const found = await read(copies, '/conversations');
    const texts = await Promise.all(
      found.map(async ({ id }: Body) =>
        (await read(copies, `/conversations/${id}`)).map(({ message }: Body) => message.content).join(),
      ),
    );
    expect(texts.toSorted()).toEqual(['', 'One.', 'Three.', 'Two.']);
  });

  it('completes a document that a killed run was copying', async () => {
    const kept = join(folder, 'killed');
    await mkdir(kept);
    const hashes = createLexicalHash();
    const embedder: EmbeddingModel = {
      ...hashes,
      embed: (_texts, _kind, signal) => setTimeout(600_000, [], signal && { signal }),
    };
    const ending = await startCitewell({ folder: kept, embedder });
    const form = new FormData();
    form.set('file', new Blob(['Half of it.']), 'lisbon.md');
    form.set('id', known.document);
    const uploading = fetch(`${ending.url}/v3/documents`, { method: 'POST', body: form }).catch(() => undefined);
    const status = async () => (await read(ending, `/documents/${known.document}`))?.ingestion_status;
    await vi.waitFor(async () => expect(await status()).toBe('embedding'), PATIENT);
    await Promise.all([ending.close(), uploading]);
    const again = await startCitewell({ folder: kept });
    try {
      const copied = outcomes(await run(source.url, 'ended.jsonl', again.url));
      expect(copied.filter((each) => each.startsWith('document'))).toEqual(['document copied', 'document copied']);
      expect(await read(again, `/documents/${known.document}`)).toMatchObject({ ingestion_status: 'success' });
      expect((await read(again, `/documents/${known.document}/text`)).text).toContain('Lisbon');
    } finally {
      await again.close();
    }
  });

  it('copies several documents at once', async () => {
    const hashes = createLexicalHash();
    const two = Promise.withResolvers<void>();
    let waiting = 0;
    const embed: EmbeddingModel['embed'] = async (...given) => {
      if (++waiting === 2) two.resolve();
      await two.promise;
      return hashes.embed(...given);
    };
    const other = await startCitewell({ embedder: { ...hashes, embed } });
    try {
      const copied = outcomes(await run(source.url, 'several.jsonl', other.url));
      expect(copied.filter((each) => each.startsWith('document'))).toEqual(['document copied', 'document copied']);
    } finally {
      two.resolve();
      await other.close();
    }
  });

  it('reports each failure with its reason, and continues', async () => {
    const broken = await startFakeProvider();
    const id = randomUUID();
    const inChunks = randomUUID();
    broken.otherwise(({ path }) => {
      if (path.startsWith('/v3/users/me')) return jsonReply({ results: { id, email: 'a@b.c' } });
      if (path.startsWith('/v3/documents?')) {
        const results = [
          { id, title: 'gone.txt', document_type: 'txt', metadata: null, collection_ids: null },
          { id: inChunks, title: 'Passages', document_type: 'txt', metadata: {}, collection_ids: [] },
          { id: randomUUID(), title: 'a/b', document_type: 'txt', metadata: {}, collection_ids: [randomUUID()] },
        ];
        return jsonReply({ results, total_entries: 3 });
      }
      if (path.includes(`${inChunks}/chunks`)) return jsonReply({ results: [{ text: 'One.' }, { text: 'Two.' }] });
      if (path.includes(id) || path.includes(inChunks))
        return jsonReply({ message: 'No such document' }, { status: 404 });
      if (path.endsWith('/download')) return { headers: { 'content-type': 'text/plain' }, steps: [{ send: 'Words.' }] };
      return jsonReply({ results: [], total_entries: 0 });
    });
    const events = await run(broken.origin, 'broken.jsonl');
    await broken.close();
    expect(outcomes(events)).toEqual(['document copied', 'document copied', 'document failed']);
    const chunks = await read(target, `/documents/${inChunks}/chunks`);
    expect(chunks.map(({ text }: Body) => text)).toEqual(['One.', 'Two.']);
    expect(events).toContainEqual(expect.objectContaining({ id, reason: expect.stringContaining('No such document') }));
  });

  it('stops when access is refused, or when the server is no R2R', async () => {
    const other = await startFakeProvider();
    other.otherwise(() => jsonReply({ message: 'Who are you?' }, { status: 401 }));
    await expect(run(other.origin, 'other.jsonl')).rejects.toMatchObject({ code: 'unauthenticated' });
    other.otherwise(() => jsonReply({ hello: 'world' }));
    await expect(run(other.origin, 'other.jsonl')).rejects.toMatchObject({ code: 'provider_failed' });
    await other.close();
  });
});
