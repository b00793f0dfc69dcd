import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readZipEntries, unpackEntry } from '../../../src/ingest/readers/containers/zip-entries.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type R2rUser, type RunningR2r, rowsOf, startR2r } from '../support/start-r2r.ts';

let server: RunningR2r;
let admin: R2rUser;
let ada: R2rUser;
let bob: R2rUser;

beforeAll(async () => {
  server = await startR2r();
  admin = server.admin;
  [ada, bob] = await Promise.all([server.newcomer('ada'), server.newcomer('bob')]);
});
afterAll(() => server.close());

const written = async (text: string, metadata = {}) =>
  (await ada.client.documents.create({ raw_text: text, metadata })).results.documentId;

describe('the documents client', () => {
  it('exports documents for a superuser, quoted so that they can be read back', async () => {
    const id = await written('=1+1', { title: '=cmd|"x",\nnext' });
    const { documents } = admin.client;
    const [header, ...rows] = await rowsOf(
      await documents.export({ columns: ['id', 'title', 'total_tokens'], filters: { id: { $eq: id } } }),
    );
    expect(header).toBe('"id","title","total_tokens"');
    expect(rows).toEqual([expect.stringMatching(new RegExp(`^"${id}","=cmd\\|""x"",\nnext","\\d+"$`))]);
    const path = join(await temporaryFolder(), 'all.csv');
    await documents.export({ outputPath: path });
    expect(await readFile(path, 'utf8')).toMatch(/^"id","collection_ids","owner_id","type","metadata","title"/);
    const none = await documents.export({ filters: { title: { $eq: 'nobody' }, unknown: { $eq: 1 } } });
    expect(await rowsOf(none)).toHaveLength(1);
    await expect(ada.client.documents.export()).rejects.toThrow(/Status 403/);
  });

  it('compares numbers as numbers and times as times in the filters of an export', async () => {
    await written('Short.');
    await written('A text of a good many words more than the other has, so that it weighs more.');
    const sizes = async (filters: Record<string, unknown>) =>
      (
        await rowsOf(await admin.client.documents.export({ columns: ['size_in_bytes'], filters, includeHeader: false }))
      ).map((row) => Number(row.replaceAll('"', '')));
    expect((await sizes({ size_in_bytes: { $gt: 9 } })).every((size) => size > 9)).toBe(true);
    expect(await sizes({ size_in_bytes: { $lt: 9, $gt: 5 } })).toEqual([6]);
    expect(await sizes({ created_at: { $lt: '2001-01-01' } })).toEqual([]);
    await expect(sizes({ size_in_bytes: { $like: '1%' } })).rejects.toThrow(/Status 400/);
  });

  it('downloads visible files as an archive, by id and by date', async () => {
    const ids = [await written('The same.', { title: 'twin' })];
    const form = new FormData();
    form.set('file', new File(['The other one.'], 'twin.txt'));
    form.set('id', '11111111-1111-4111-8111-111111111111');
    await fetch(`${server.url}/v3/documents`, { method: 'POST', body: form, headers: ada.headers });
    ids.push('11111111-1111-4111-8111-111111111111');
    const zipOf = async (options: Parameters<typeof ada.client.documents.downloadZip>[0], user = ada) => {
      const blob = (await user.client.documents.downloadZip(options)) as unknown as Blob;
      const bytes = new Uint8Array(await blob.arrayBuffer());
      const entries = readZipEntries(bytes) ?? [];
      return Object.fromEntries(entries.map((entry) => [entry.name, String(unpackEntry(bytes, entry, 1_000))]));
    };
    const all = await zipOf({ documentIds: ids });
    expect(Object.values(all).sort()).toEqual(['The other one.', 'The same.']);
    expect(Object.keys(all)).toEqual(['twin.txt', 'twin (2).txt']);
    expect(Object.keys(await zipOf({ startDate: new Date(0), endDate: new Date() }))).not.toEqual([]);
    await expect(zipOf({ endDate: new Date(0) })).rejects.toThrow(/Status 404/);
    await expect(zipOf({ documentIds: ids }, bob)).rejects.toThrow(/Status 404/);
    const wrong = await fetch(`${server.url}/v3/documents/download_zip?start_date=soon`, { headers: ada.headers });
    expect(wrong.status).toBe(422);
  });
});

describe('the conversations client', () => {
  it('exports one’s own conversations and messages, and all of them for a superuser', async () => {
    const { conversations } = ada.client;
    const { id } = (await conversations.create({ name: 'Talk' })).results;
    await conversations.addMessage({ id, content: 'He said "hi".', role: 'user' });
    await bob.client.conversations.create({ name: 'Other talk' });
    expect(await rowsOf(await conversations.export({ columns: ['name', 'id'] }))).toEqual([
      '"name","id"',
      `"Talk","${id}"`,
    ]);
    const messages = await conversations.exportMessages({ columns: ['conversation_id', 'content', 'parent_id'] });
    expect(await rowsOf(messages)).toEqual([
      '"conversation_id","content","parent_id"',
      `"${id}","{""role"":""user"",""content"":""He said \\""hi\\"".""}",""`,
    ]);
    expect(await rowsOf(await bob.client.conversations.exportMessages({ includeHeader: false }))).toEqual([]);
    expect(await rowsOf(await admin.client.conversations.export())).toHaveLength(3);
  });
});
