import { describe, expect, it, onTestFinished } from 'vitest';
import { settingsOfAddress } from '../../../src/sources/kinds.ts';
import { notionKind } from '../../../src/sources/notion/notion.ts';
import { collectListing, readOptions } from '../../support/collect-listing.ts';
import { type NotionPage, startNotion, titled } from '../../support/notion-server.ts';

const TOKEN = 'ntn_right';
const OLD = '2025-01-06T10:00:00.000Z';

const page = (id: string, title: string, more: Partial<NotionPage> = {}): NotionPage => ({
  id,
  properties: { Name: titled(title) },
  markdown: `Text of ${title}.`,
  edited: OLD,
  ...more,
});

async function workspace(pages: readonly NotionPage[], token = TOKEN) {
  const server = await startNotion(pages, TOKEN);
  onTestFinished(server.close);
  const connector = await notionKind.open({ name: 'wiki' } as never, { token } as never, { network: server.network });
  return { ...server, connector };
}

describe('pages of Notion', () => {
  it('are listed page by page, with their link, and read as Markdown with the values of their row', async () => {
    const row = page('r', 'Barn roof', {
      properties: {
        Task: titled('Barn roof'),
        State: { id: 's', type: 'status', status: { name: 'Begun' } },
        Tags: { id: 't', type: 'multi_select', multi_select: [{ name: 'wood' }, { name: 'urgent' }] },
        Cost: { id: 'c', type: 'number', number: 1200 },
        Due: { id: 'd', type: 'date', date: { start: '2025-03-01', end: '2025-03-09' } },
        Empty: { id: 'e', type: 'rich_text', rich_text: [] },
        Total: { id: 'f', type: 'formula', formula: { type: 'number', number: 7 } },
      },
      markdown: '## Steps\n\n- [ ] Order beams\n\n<unknown/>',
      parts: { b1: 'Twelve beams of larch.' },
    });
    const { connector } = await workspace([
      page('a', 'One'),
      page('b', 'Two'),
      page('c', 'Three'),
      page('d', 'Four'),
      row,
    ]);
    const { items, end } = await collectListing(connector);
    expect(items.map(({ title }) => title).sort()).toEqual(['Barn roof', 'Four', 'One', 'Three', 'Two']);
    expect(end).toMatchObject({ covers: 'changes' });
    const item = items.find(({ key }) => key === 'r');
    expect(item).toMatchObject({
      uri: 'notion://wiki/r',
      fileName: 'Barn roof.md',
      link: 'https://www.notion.so/r',
      version: OLD,
    });
    if (item === undefined) throw new Error('not listed');
    const { bytes, mediaType } = await connector.read(item, readOptions);
    expect(mediaType).toBe('text/markdown');
    expect(Buffer.from(bytes).toString()).toBe(
      '# Barn roof\n\n- State: Begun\n- Tags: wood, urgent\n- Cost: 1200\n- Due: 2025-03-01 to 2025-03-09\n- Total: 7\n\n' +
        '## Steps\n\n- [ ] Order beams\n\n<unknown/>\n\nTwelve beams of larch.',
    );
    await expect(connector.read(item, { ...readOptions, maxBytes: 10 })).rejects.toMatchObject({ code: 'too_large' });
  });

  it('are deleted only when they are in the trash, not when the search misses them or they are no longer shared', async () => {
    const pages = [page('a', 'Stays'), page('b', 'Trashed'), page('c', 'Hidden'), page('d', 'Missed')] as const;
    const { connector } = await workspace(pages);
    const first = await collectListing(connector);
    expect(first.items).toHaveLength(4);
    pages[1].isInTrash = true;
    pages[2].isShared = false;
    pages[3].isMissing = true;
    const second = await collectListing(connector, first.cursor);
    expect(second.removed).toEqual(['b']);
    expect(second.failed).toEqual([{ kind: 'failed', key: 'c', reason: expect.stringContaining('no longer shared') }]);
    expect(second.end).toMatchObject({ covers: 'changes' });
    expect(JSON.parse(second.cursor ?? '')).toEqual(['a', 'c', 'd']);
    const [, trashed] = first.items;
    if (trashed !== undefined)
      await expect(connector.read(trashed, readOptions)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('have another version when the minute of their last change is over', async () => {
    const fresh = page('a', 'Now', { edited: new Date(Date.now() - 1000).toISOString() });
    const { connector } = await workspace([fresh]);
    const [before] = (await collectListing(connector)).items;
    expect(before?.version).toBe(`${fresh.edited} or later`);
    fresh.edited = OLD;
    expect((await collectListing(connector)).items[0]?.version).toBe(OLD);
  });

  it('respect Retry-After, and report what is refused', async () => {
    const { connector, refusals, requests } = await workspace([page('a', 'One')]);
    refusals.push({ status: 429, code: 'rate_limited', retryAfter: 0.01 });
    expect((await collectListing(connector)).items).toHaveLength(1);
    expect(requests).toEqual(['POST /v1/search', 'POST /v1/search']);
    refusals.push({ status: 403, code: 'restricted_resource' });
    const refused = await collectListing(connector).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'forbidden', message: expect.not.stringContaining('words of the server') });
    const { connector: wrong } = await workspace([], 'ntn_wrong');
    await expect(collectListing(wrong)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

it('has a name for an address', () => {
  expect(settingsOfAddress(notionKind, 'notion://team-wiki')).toEqual({ name: 'team-wiki' });
  expect(() => notionKind.addressOf({ name: 'a/b' } as never)).toThrow('expected letters');
});
