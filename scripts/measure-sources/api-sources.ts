import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ConfluencePage, EMAIL, startConfluence, TOKEN } from '../../test/support/confluence-server.ts';
import { folder, SERVICE_KEY, startDrive, textFile } from '../../test/support/drive-server.ts';
import { type NotionPage, startNotion, titled } from '../../test/support/notion-server.ts';
import { changedText, numbers, textOf, writeAll } from './items.ts';
import type { MeasuredSource } from './sources.ts';

const PER_ANSWER = 100;
const MCP_PROCESS = fileURLToPath(new URL('./mcp-process.ts', import.meta.url));
const TOKEN_OF_NOTION = 'ntn_right';

/** Sources behind an application's interface. */
export const startApiSource = {
  async notion(items: number): Promise<MeasuredSource> {
    let edits = 0;
    const edited = () => new Date(Date.UTC(2025, 0, 1) + 60_000 * ++edits).toISOString();
    const pages = numbers(items).map((number): NotionPage => {
      const id = `page-${number}`;
      return { id, properties: { Name: titled(`Item ${number}`) }, markdown: textOf(number), edited: edited() };
    });
    const { network, requests, close } = await startNotion(pages, TOKEN_OF_NOTION, PER_ANSWER);
    return {
      address: 'notion://wiki',
      credentials: { token: TOKEN_OF_NOTION },
      env: {},
      network,
      requests: () => requests.length,
      async change(changed, removed) {
        for (const [number, page] of pages.slice(0, changed).entries()) {
          Object.assign(page, { markdown: changedText(number), edited: edited() });
        }
        for (const page of pages.slice(changed, changed + removed)) page.isInTrash = true;
      },
      close,
    };
  },

  async confluence(items: number): Promise<MeasuredSource> {
    const pages = numbers(items).map((number): ConfluencePage => {
      const storage = `<p>${textOf(number).split('\n')[2]}</p>`;
      return { id: `${number + 1}`, space: 'ENG', title: `Item ${number}`, version: 1, storage };
    });
    const spaces = [{ id: '11', key: 'ENG', type: 'global' }];
    const server = await startConfluence({ edition: 'cloud', pages, spaces, perAnswer: PER_ANSWER });
    return {
      address: `${server.site.replace('http:', 'confluence+http:')}/spaces/ENG`,
      settings: { email: EMAIL },
      credentials: { token: TOKEN },
      env: { CITEWELL_ALLOW_HOSTS: new URL(server.site).host },
      requests: () => server.requests.length,
      async change(changed, removed) {
        for (const [number, page] of pages.slice(0, changed).entries()) {
          Object.assign(page, { storage: `<p>${changedText(number).split('\n')[2]}</p>`, version: 2 });
        }
        for (const page of pages.slice(changed, changed + removed)) page.status = 'trashed';
      },
      close: server.close,
    };
  },

  async gdrive(items: number): Promise<MeasuredSource> {
    const fileOf = (number: number, text: string) => ({
      ...textFile(`file-${number}`, 'top', text),
      name: `item-${number}.md`,
    });
    const files = numbers(items).map((number) => fileOf(number, textOf(number)));
    const drive = await startDrive([folder('top', 'my-drive'), ...files], { perAnswer: PER_ANSWER });
    return {
      address: 'gdrive://top',
      credentials: { service_account_key: SERVICE_KEY },
      env: {},
      network: drive.network,
      requests: () => drive.requests.length,
      async change(changed, removed) {
        for (const number of numbers(changed)) drive.put(fileOf(number, changedText(number)));
        for (const number of numbers(removed, changed)) drive.remove(`file-${number}`);
      },
      close: drive.close,
    };
  },

  async mcp(items: number): Promise<MeasuredSource> {
    const directory = await mkdtemp(join(tmpdir(), 'citewell-resources-'));
    const pathOf = (number: number) => join(directory, `item-${number}.md`);
    await writeAll(numbers(items), (number) => writeFile(pathOf(number), textOf(number)));
    const server = { command: process.execPath, args: [MCP_PROCESS, directory], resources: true };
    return {
      address: 'mcp://library',
      credentials: {},
      env: { CITEWELL_MCP_SERVERS: JSON.stringify({ mcpServers: { library: server } }) },
      requests: () => undefined,
      async change(changed, removed) {
        await writeAll(numbers(changed), (number) => writeFile(pathOf(number), changedText(number)));
        await writeAll(numbers(removed, changed), (number) => rm(pathOf(number)));
      },
      close: () => rm(directory, { recursive: true, force: true }),
    };
  },
};
