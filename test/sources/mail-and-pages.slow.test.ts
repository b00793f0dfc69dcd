import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ImapFlow } from 'imapflow';
import { expect, it, onTestFinished } from 'vitest';
import { createRemoteNetwork } from '../../src/web/remote-network.ts';
import { account, dovecot, startDovecot } from '../support/dovecot-server.ts';
import { type NotionPage, startNotion, titled } from '../support/notion-server.ts';
import { startFollowing } from '../support/start-following.ts';

type Following = Awaited<ReturnType<typeof startFollowing>>;

/** The answer, with what it cites. */
async function ask({ call }: Following, query: string): Promise<string> {
  const { status, body } = await call('POST', '/retrieval/rag', { query });
  expect(status, JSON.stringify(body)).toBe(200);
  return JSON.stringify(body.results);
}

it('follows pages of Notion, and answers from them as they are now', async () => {
  const page = (id: string, title: string, markdown: string): NotionPage => ({
    id,
    properties: { Name: titled(title) },
    markdown,
    edited: '2025-01-06T10:00:00.000Z',
  });
  const barn = page('a', 'Barn roof', 'The roof of the barn needs twelve beams of larch.');
  const pages = [barn, page('b', 'Orchard', 'The orchard has forty pear trees.')];
  const notion = await startNotion(pages, 'ntn_right');
  onTestFinished(notion.close);
  const following = await startFollowing({ network: notion.network });
  const { id, last_sync: first } = await following.add({
    kind: 'notion',
    address: 'notion://wiki',
    every_minutes: null,
    credentials: { token: 'ntn_right' },
  });
  expect(first).toMatchObject({ counts: { ingested: 2 }, failures: [] });
  expect(await ask(following, 'How many beams does the roof of the barn need?')).toContain('twelve beams of larch');

  barn.markdown = 'The roof of the barn needs thirteen beams of oak.';
  barn.edited = '2025-02-06T10:00:00.000Z';
  expect((await following.sync(id)).last_sync.counts).toEqual({ replaced: 1, unchanged: 1 });
  expect(await ask(following, 'How many beams does the roof of the barn need?')).toContain('thirteen beams of oak');
  barn.isInTrash = true;
  expect((await following.sync(id)).last_sync.counts).toMatchObject({ removed: 1 });
  expect(await following.titles()).toEqual(['Orchard']);
});

it.skipIf(dovecot === undefined)('follows a mailbox, answers from its mail, and heeds what is deleted', async () => {
  const server = await startDovecot();
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, server.certificate]);
  onTestFinished(async () => {
    setDefaultCACertificates(before);
    await server.close();
  });
  const writer = new ImapFlow({
    host: 'localhost',
    port: server.ports.imaps,
    secure: true,
    logger: false,
    auth: { user: account.user, pass: account.password },
  });
  await writer.connect();
  onTestFinished(() => writer.logout());
  const write = (subject: string, body: string) =>
    writer.append(
      'INBOX',
      `From: Bo <bo@example.org>\r\nTo: ann@example.org\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@x>\r\n\r\n${body}\r\n`,
    );
  await write('Barley', 'Twelve tons of barley were delivered to the mill.');
  await write('Rye', 'The rye is still on the field.');
  const network = createRemoteNetwork({ rules: { ports: new Set([80, 443]), open: [], allowPrivate: true } });
  const following = await startFollowing({ network });
  const { id, last_sync: first } = await following.add({
    kind: 'imap',
    address: `imaps://${account.user}@localhost:${server.ports.imaps}/INBOX`,
    every_minutes: null,
    credentials: { password: account.password },
  });
  expect(first).toMatchObject({ counts: { ingested: 2 }, failures: [] });
  expect(await ask(following, 'How many tons of barley were delivered?')).toContain('Twelve tons of barley');

  await writer.mailboxOpen('INBOX');
  await writer.messageDelete({ subject: 'Rye' });
  await writer.mailboxClose();
  await write('Oats', 'Oats cost nine crowns.');
  expect((await following.sync(id)).last_sync.counts).toMatchObject({ ingested: 1, removed: 1 });
  expect(await following.titles()).toEqual(['Barley', 'Oats']);
});
