import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImapFlow } from 'imapflow';
import type { RemoteNetwork } from '../../src/sources/connector.ts';
import { keysOf, startBucket } from '../../test/support/bucket-server.ts';
import { account, startDovecot } from '../../test/support/dovecot-server.ts';
import { startGit } from '../../test/support/git-http-server.ts';
import { startWebdav } from '../../test/support/webdav-server.ts';
import { startApiSource } from './api-sources.ts';
import { changedText, numbers, textOf, writeAll } from './items.ts';
import { startSite } from './site-source.ts';

/** A local server or folder with many small items, and the settings for following it. */
export interface MeasuredSource {
  readonly address: string;
  readonly settings?: object;
  readonly credentials: object;
  /** Environment of the service that follows it. */
  readonly env: Readonly<Record<string, string>>;
  /** Redirects requests for a fixed public host to the local server; then only this process can follow the source. */
  readonly network?: RemoteNetwork;
  /** Whether the documents of removed items are kept, as for sites. */
  readonly keepsRemoved?: boolean;
  /** Number of requests so far; undefined if they cannot be counted. */
  requests(): number | undefined;
  /** Changes the content of the first `changed` items and removes the next `removed` items. */
  change(changed: number, removed: number): Promise<void>;
  close(): Promise<void>;
}

export const measuredKinds = [
  'folder',
  'site',
  's3',
  'git',
  'webdav',
  'imap',
  'confluence',
  'mcp',
  'notion',
  'gdrive',
] as const;
export type MeasuredKind = (typeof measuredKinds)[number];

const PER_FOLDER = 100;

const nameOf = (number: number): string => `part-${Math.floor(number / PER_FOLDER)}/item-${number}.md`;
export const startSource: Readonly<Record<MeasuredKind, (items: number) => Promise<MeasuredSource>>> = {
  ...startApiSource,
  site: startSite,

  async folder(items) {
    const folder = await mkdtemp(join(tmpdir(), 'citewell-followed-'));
    const write = (number: number, text: string) => writeFile(join(folder, nameOf(number)), text);
    for (const number of numbers(Math.ceil(items / PER_FOLDER))) await mkdir(join(folder, `part-${number}`));
    await writeAll(numbers(items), (number) => write(number, textOf(number)));
    return {
      address: folder,
      credentials: {},
      env: { CITEWELL_ALLOW_FOLDERS: folder },
      requests: () => undefined,
      async change(changed, removed) {
        await writeAll(numbers(changed), (number) => write(number, changedText(number)));
        await writeAll(numbers(removed, changed), (number) => rm(join(folder, nameOf(number))));
      },
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },

  async s3(items) {
    const objects = new Map(numbers(items).map((number) => [nameOf(number), textOf(number)]));
    const bucket = await startBucket(objects);
    return {
      address: 's3://papers/',
      settings: { endpoint: bucket.endpoint },
      credentials: keysOf(bucket.state.key),
      env: { CITEWELL_ALLOW_HOSTS: new URL(bucket.endpoint).host },
      requests: () => bucket.state.requests,
      async change(changed, removed) {
        for (const number of numbers(changed)) objects.set(nameOf(number), changedText(number));
        for (const number of numbers(removed, changed)) objects.delete(nameOf(number));
      },
      close: async () => bucket.close(),
    };
  },

  async git(items) {
    const root = await mkdtemp(join(tmpdir(), 'citewell-repository-'));
    const git = await startGit({ root });
    await git.commit(Object.fromEntries(numbers(items).map((number) => [nameOf(number), textOf(number)])));
    return {
      address: `git+${git.url}`,
      credentials: {},
      env: { CITEWELL_ALLOW_HOSTS: `127.0.0.1:${git.port}` },
      requests: () => git.requests.length,
      async change(changed, removed) {
        const other = numbers(changed).map((number) => [nameOf(number), changedText(number)] as const);
        const gone = numbers(removed, changed).map((number) => [nameOf(number), null] as const);
        await git.commit(Object.fromEntries([...other, ...gone]));
      },
      async close() {
        await git.close();
        await rm(root, { recursive: true, force: true });
      },
    };
  },

  async webdav(items) {
    const files = await startWebdav('ann', 'right');
    const folders = Math.ceil(items / PER_FOLDER);
    for (const number of numbers(folders)) await files.folder(`part-${number}`);
    await writeAll(numbers(items), (number) => files.put(nameOf(number), textOf(number)));
    return {
      address: `dav://ann@127.0.0.1:${files.port}/`,
      credentials: { password: 'right' },
      env: { CITEWELL_ALLOW_HOSTS: `127.0.0.1:${files.port}` },
      requests: () => files.requests.length,
      async change(changed, removed) {
        await writeAll(numbers(changed), (number) => files.put(nameOf(number), changedText(number)));
        await writeAll(numbers(removed, changed), (number) => files.remove(nameOf(number)));
      },
      close: files.close,
    };
  },

  async imap(items) {
    const server = await startDovecot();
    const folder = await mkdtemp(join(tmpdir(), 'citewell-certificate-'));
    const certificate = join(folder, 'certificate.pem');
    await writeFile(certificate, server.certificate);
    const auth = { user: account.user, pass: account.password };
    const tls = { ca: server.certificate };
    // A connection for each use, because the server closes one that is idle during a synchronisation.
    async function withInbox(work: (client: ImapFlow) => Promise<unknown>): Promise<void> {
      const port = server.ports.imaps;
      const client = new ImapFlow({ host: 'localhost', port, secure: true, logger: false, auth, tls });
      await client.connect();
      await client.mailboxOpen('INBOX');
      await work(client);
      await client.logout();
    }
    const messageOf = (number: number, text: string) =>
      `From: Bo <bo@example.org>\r\nTo: ann@example.org\r\nSubject: Item ${number}\r\nMessage-ID: <${number}@x>\r\n\r\n${text.replaceAll('\n', '\r\n')}`;
    // The first login creates the folders.
    await withInbox(async () => {});
    await writeAll(numbers(items), (number) => {
      // Messages are numbered in the order of these names.
      const name = `${1_700_000_000 + number}.M1P1.localhost`;
      return writeFile(join(server.delivered, name), messageOf(number, textOf(number)));
    });
    return {
      address: `imaps://${encodeURIComponent(account.user)}@localhost:${server.ports.imaps}/INBOX`,
      credentials: { password: account.password },
      env: { CITEWELL_ALLOW_HOSTS: `localhost:${server.ports.imaps}`, NODE_EXTRA_CA_CERTS: certificate },
      requests: () => undefined,
      async change(changed, removed) {
        await withInbox(async (client) => {
          await client.messageDelete(`1:${changed + removed}`);
          for (const number of numbers(changed)) {
            await client.append('INBOX', messageOf(number, changedText(number)));
          }
        });
      },
      async close() {
        await server.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};
