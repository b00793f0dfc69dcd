import { createServer, type Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ImapFlow } from 'imapflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocument } from '../../../src/ingest/readers/index.ts';
import { imapKind } from '../../../src/sources/imap/imap.ts';
import { publicOnly } from '../../../src/web/address-rules.ts';
import { createRemoteNetwork } from '../../../src/web/remote-network.ts';
import { collectListing, openNetwork, readOptions } from '../../support/collect-listing.ts';
import { account, dovecot, type MailServer, startDovecot } from '../../support/dovecot-server.ts';

const title = dovecot === undefined ? 'a mailbox of Dovecot (skipped: it is not installed)' : 'a mailbox of Dovecot';
describe.skipIf(dovecot === undefined)(title, () => {
  let server: MailServer;
  let writer: ImapFlow;
  const before = getCACertificates('default');

  beforeAll(async () => {
    server = await startDovecot();
    setDefaultCACertificates([...before, server.certificate]);
    writer = new ImapFlow({
      host: 'localhost',
      port: server.ports.imaps,
      secure: true,
      logger: false,
      auth: { user: account.user, pass: account.password },
    });
    await writer.connect();
  });
  afterAll(async () => {
    await writer?.logout();
    setDefaultCACertificates(before);
    await server?.close();
  });

  const open = (given: object = {}, secrets: object = { password: account.password }, network = openNetwork()) =>
    imapKind.open(
      { host: 'localhost', port: server.ports.imaps, tls: true, user: account.user, ...given } as never,
      secrets as never,
      { network },
    );
  const write = (subject: string, folder = 'INBOX', body = 'Twelve tons of barley.') =>
    writer.append(
      folder,
      `From: Bo <bo@example.org>\r\nTo: ann@example.org\r\nSubject: ${subject}\r\nDate: Mon, 6 Jan 2025 10:00:00 +0000\r\nMessage-ID: <${subject.length}@x>\r\n\r\n${body}\r\n`,
      [],
      new Date('2025-01-06'),
    );

  it('lists messages, reads them as mail, and then only what changed', async () => {
    await writer.mailboxCreate('Projects/Barn');
    await writer.mailboxCreate('Zum Löschen');
    await Promise.all([write('First'), write('Second'), write('Roof', 'Projects/Barn'), write('Spam', 'Trash')]);
    await write('Old', 'Zum Löschen');
    const connector = await open();
    const first = await collectListing(connector);
    expect(first.items.map(({ title: subject }) => subject).sort()).toEqual(['First', 'Old', 'Roof', 'Second']);
    expect(first.end).toMatchObject({ covers: 'all' });
    const roof = first.items.find((item) => item.title === 'Roof');
    expect(roof).toMatchObject({
      fileName: 'Roof.eml',
      modified: '2025-01-06T10:00:00.000Z',
      metadata: { folder: 'Projects/Barn' },
      uri: expect.stringMatching(
        /^imaps:\/\/ann%40example\.org@localhost:\d+\/Projects\/Barn;UIDVALIDITY=\d+\/;UID=1$/,
      ),
    });
    if (roof === undefined) throw new Error('not listed');
    const content = await connector.read(roof, readOptions);
    expect(content.mediaType).toBe('message/rfc822');
    const read = await readDocument('eml', {
      bytes: content.bytes,
      fileName: roof.fileName,
      signal: readOptions.signal,
    });
    expect(read.text).toContain('Twelve tons of barley.');
    await expect(connector.read(roof, { ...readOptions, maxBytes: 20 })).rejects.toMatchObject({ code: 'too_large' });

    await write('Third');
    await writer.mailboxOpen('INBOX');
    await writer.messageFlagsAdd({ subject: 'First' }, ['\\Seen']);
    await writer.messageDelete({ subject: 'Second' });
    await writer.mailboxClose();
    await writer.mailboxDelete('Zum Löschen');
    const second = await collectListing(connector, first.cursor);
    const keyOf = (subject: string) => first.items.find((item) => item.title === subject)?.key;
    expect(second.items.map(({ title: subject }) => subject)).toEqual(['Third']);
    expect(second.removed.sort()).toEqual([keyOf('Second'), keyOf('Old')].sort());
    expect(second.end).toMatchObject({ covers: 'changes' });
    const gone = first.items.find((item) => item.title === 'Second');
    if (gone !== undefined)
      await expect(connector.read(gone, readOptions)).rejects.toMatchObject({ code: 'not_found' });

    // A folder made anew under its name has other messages with the same numbers.
    await writer.mailboxDelete('Projects/Barn');
    await writer.mailboxCreate('Projects/Barn');
    await write('Floor', 'Projects/Barn');
    const third = await collectListing(connector, second.cursor);
    expect(third.items.map(({ title: subject }) => subject)).toEqual(['Floor']);
    expect(third.removed).toEqual([keyOf('Roof')]);
    // Reading leaves nothing marked as seen.
    await writer.mailboxOpen('Projects/Barn');
    expect(await writer.search({ seen: true })).toEqual([]);
    await writer.mailboxClose();
    await connector.close?.();
  });

  it('follows selected folders, keeps the documents of a missing one, and respects the start date', async () => {
    await writer.mailboxCreate('Archive/2025');
    await write('Kept', 'Archive/2025');
    const connector = await open({ folders: ['Archive/*', 'Nowhere'] });
    const first = await collectListing(connector);
    expect(first.items.map(({ title: subject }) => subject)).toEqual(['Kept']);
    expect(first.failed).toEqual([expect.objectContaining({ key: 'Nowhere' })]);
    await writer.mailboxDelete('Archive/2025');
    await writer.mailboxDelete('Archive').catch(() => undefined);
    const second = await collectListing(connector, first.cursor);
    expect(second.removed).toEqual([]);
    expect(second.failed.map(({ key }) => key)).toContain('Archive/*');
    await connector.close?.();
    const later = await open({ since: '2025-06-01' });
    expect((await collectListing(later)).items).toEqual([]);
    await later.close?.();
  });

  it('works with STARTTLS, and after the connection was lost', async () => {
    const connector = await open({ port: server.ports.imap, tls: undefined, folders: ['inbox'] });
    const first = await collectListing(connector);
    expect(first.items.length).toBeGreaterThan(0);
    await connector.close?.();
    expect((await collectListing(connector)).items).toHaveLength(first.items.length);
    await connector.close?.();
  });

  it('reports problems with access, certificate and address', async () => {
    const wrong = await open({}, { password: 'wrong' });
    await expect(collectListing(wrong)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(open({}, {})).rejects.toMatchObject({ code: 'unauthenticated' });
    const guarded = await open({}, undefined, createRemoteNetwork({ rules: publicOnly }));
    await expect(collectListing(guarded)).rejects.toMatchObject({ code: 'forbidden' });
    setDefaultCACertificates(before);
    const unknown = await open();
    await expect(collectListing(unknown)).rejects.toThrow('certificate of localhost is not accepted');
    setDefaultCACertificates([...before, server.certificate]);
  });

  it('sends no password to a server without TLS', async () => {
    const said: string[] = [];
    const plain: Server = createServer((socket) => {
      socket.write('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n');
      socket.on('data', (data) => {
        said.push(String(data));
        socket.write(`${String(data).split(' ')[0]} OK done\r\n`);
      });
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const address = plain.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const connector = await open({ port, tls: undefined });
    await expect(collectListing(connector)).rejects.toMatchObject({ code: 'provider_failed' });
    expect(said.join('')).not.toContain(account.password);
    expect(said.join('')).not.toMatch(/LOGIN|AUTHENTICATE/);
    await connector.close?.();
    await new Promise((resolve) => plain.close(resolve));
  });
});
