import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ImapFlow } from 'imapflow';
import { onTestFinished } from 'vitest';
import { createExternalResources } from '../../src/mcp/external-resources.ts';
import type { RemoteNetwork } from '../../src/sources/connector.ts';
import type { McpServers } from '../../src/sources/mcp/mcp-servers.ts';
import { offered, overHttp } from '../sources/mcp/resources-contract.ts';
import { keysOf, startBucket } from './bucket-server.ts';
import { openNetwork } from './collect-listing.ts';
import { type ConfluencePage, EMAIL, startConfluence, TOKEN } from './confluence-server.ts';
import { account, dovecot, startDovecot } from './dovecot-server.ts';
import { folder, SERVICE_KEY, startDrive, textFile } from './drive-server.ts';
import { startGit } from './git-http-server.ts';
import { type NotionPage, startNotion, titled } from './notion-server.ts';
import { startWebdav } from './webdav-server.ts';

/** A local server that speaks the protocol of a kind of source, with items of text. */
export interface StartedKind {
  /** The source as given in a request to follow it. */
  readonly source: {
    readonly kind: string;
    readonly address: string;
    readonly settings?: object;
    readonly credentials?: object;
  };
  readonly network: RemoteNetwork;
  readonly mcpResources?: McpServers;
  /** Adds items, changes their text, or removes them (null). */
  change(items: Readonly<Record<string, string | null>>): Promise<void>;
}

/** Starts a server for each kind of source; it ends with the running test. */
export const startKinds: Readonly<Record<string, { readonly isMissing?: boolean; start(): Promise<StartedKind> }>> = {
  s3: {
    async start() {
      const objects = new Map<string, string>();
      const bucket = await startBucket(objects);
      onTestFinished(bucket.close);
      const settings = { endpoint: bucket.endpoint };
      return {
        source: { kind: 's3', address: 's3://papers/', settings, credentials: keysOf('RIGHT') },
        network: anywhere(),
        change: each((name, text) => {
          if (text === null) objects.delete(name);
          else objects.set(name, text);
        }),
      };
    },
  },
  git: {
    async start() {
      const git = await startGit();
      onTestFinished(git.close);
      return {
        source: { kind: 'git', address: `git+${git.url}` },
        network: anywhere(),
        async change(items) {
          await git.commit(items);
        },
      };
    },
  },
  webdav: {
    async start() {
      const files = await startWebdav('ann', 'right');
      onTestFinished(files.close);
      await files.folder('docs');
      const address = `dav://ann@127.0.0.1:${files.port}/docs`;
      return {
        source: { kind: 'webdav', address, credentials: { password: 'right' } },
        network: anywhere(),
        change: each((name, text) => (text === null ? files.remove(`docs/${name}`) : files.put(`docs/${name}`, text))),
      };
    },
  },
  imap: { isMissing: dovecot === undefined, start: startMailbox },
  notion: {
    async start() {
      const pages = new Map<string, NotionPage>();
      const list: NotionPage[] = [];
      const notion = await startNotion(list, 'ntn_right');
      onTestFinished(notion.close);
      return {
        source: { kind: 'notion', address: 'notion://wiki', credentials: { token: 'ntn_right' } },
        network: notion.network,
        change: each((name, markdown) => {
          const known = pages.get(name);
          const edited = nextTime();
          if (known === undefined) {
            const page = { id: name, properties: { Name: titled(name) }, markdown: markdown ?? '', edited };
            pages.set(name, page);
            list.push(page);
          } else if (markdown === null) Object.assign(known, { isInTrash: true, edited });
          else Object.assign(known, { markdown, edited });
        }),
      };
    },
  },
  confluence: {
    async start() {
      const pages: ConfluencePage[] = [];
      const spaces = [{ id: '11', key: 'ENG', type: 'global' }];
      const server = await startConfluence({ edition: 'cloud', pages, spaces });
      onTestFinished(server.close);
      const address = `${server.site.replace('http:', 'confluence+http:')}/spaces/ENG`;
      return {
        source: { kind: 'confluence', address, settings: { email: EMAIL }, credentials: { token: TOKEN } },
        network: anywhere(),
        change: each((name, text) => {
          const known = pages.find(({ title }) => title === name);
          const storage = `<p>${text}</p>`;
          if (known === undefined) {
            pages.push({ id: `${pages.length + 1}`, space: 'ENG', title: name, version: 1, storage });
          } else if (text === null) known.status = 'trashed';
          else Object.assign(known, { storage, version: known.version + 1 });
        }),
      };
    },
  },
  gdrive: {
    async start() {
      const drive = await startDrive([folder('top', 'my-drive')]);
      onTestFinished(drive.close);
      const credentials = { service_account_key: SERVICE_KEY };
      return {
        source: { kind: 'gdrive', address: 'gdrive://top', credentials },
        network: drive.network,
        change: each((name, text) => {
          const id = name.replace('.', '-');
          if (text === null) drive.remove(id);
          else drive.put({ ...textFile(id, 'top', text), name });
        }),
      };
    },
  },
  mcp: {
    async start() {
      const resources = new Map<string, string>();
      const { file, offers } = await offered({ resources: [] });
      const servers = [await overHttp(file)];
      return {
        source: { kind: 'mcp', address: 'mcp://library' },
        network: anywhere(),
        mcpResources: createExternalResources({ servers, version: '1.0.0' }),
        async change(items) {
          for (const [name, text] of Object.entries(items)) {
            if (text === null) resources.delete(name);
            else resources.set(name, text);
          }
          const list = [...resources].map(([name, text]) => ({
            uri: `library://${name}`,
            mimeType: 'text/plain',
            text,
          }));
          await offers({ resources: list });
        },
      };
    },
  },
};

async function startMailbox(): Promise<StartedKind> {
  const server = await startDovecot();
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, server.certificate]);
  onTestFinished(async () => {
    setDefaultCACertificates(before);
    await server.close();
  });
  const auth = { user: account.user, pass: account.password };
  const writer = new ImapFlow({ host: 'localhost', port: server.ports.imaps, secure: true, logger: false, auth });
  await writer.connect();
  onTestFinished(() => writer.logout());
  return {
    source: {
      kind: 'imap',
      address: `imaps://${account.user}@localhost:${server.ports.imaps}/INBOX`,
      credentials: { password: account.password },
    },
    network: anywhere(),
    // Messages are immutable, so a change deletes the message and appends a new one.
    change: each(async (subject, text) => {
      await writer.mailboxOpen('INBOX');
      await writer.messageDelete({ subject });
      await writer.mailboxClose();
      if (text === null) return;
      const headers = ['From: Bo <bo@example.org>', 'To: ann@example.org', `Subject: ${subject}`];
      await writer.append('INBOX', `${headers.join('\r\n')}\r\nMessage-ID: <${nextTime()}@x>\r\n\r\n${text}\r\n`);
    }),
  };
}

function anywhere(): RemoteNetwork {
  const network = openNetwork();
  onTestFinished(network.close);
  return network;
}

const each =
  (work: (name: string, text: string | null) => unknown): StartedKind['change'] =>
  async (items) => {
    for (const [name, text] of Object.entries(items)) await work(name, text);
  };

let times = 0;
/** A timestamp later than all before. */
const nextTime = (): string => new Date(Date.UTC(2025, 0, 1, 0, ++times)).toISOString();
