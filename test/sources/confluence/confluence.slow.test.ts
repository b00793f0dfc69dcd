import { expect, it, onTestFinished } from 'vitest';
import { type ConfluencePage, EMAIL, startConfluence, TOKEN } from '../../support/confluence-server.ts';
import { startFollowing } from '../../support/start-following.ts';

const page = (id: string, title: string, more: Partial<ConfluencePage> = {}): ConfluencePage => ({
  id,
  space: 'ENG',
  title,
  version: 1,
  storage: `<p>All about ${title} in this place.</p>`,
  ...more,
});

it.each(['cloud', 'data-center'] as const)(
  'follows a space (%s): new, changed and deleted pages; keeps the documents when the space is unavailable or empty',
  async (edition) => {
    const file = { id: 'att9', title: 'plan.txt', version: 1, mediaType: 'text/plain', bytes: 'The plan of the weir.' };
    const pages = [page('1', 'Rivers'), page('2', 'Mills'), page('3', 'Weirs', { files: [file] })];
    const spaces = [{ id: '11', key: 'ENG', type: 'global' }];
    const server = await startConfluence({ edition, pages, spaces });
    onTestFinished(server.close);
    const { add, sync, titles, call } = await startFollowing({ port: new URL(server.site).port });
    const first = await add({
      kind: 'confluence',
      address: `${server.site.replace('http:', 'confluence+http:')}/spaces/ENG`,
      settings: edition === 'cloud' ? { email: EMAIL } : {},
      credentials: { token: TOKEN },
    });
    expect(first).toMatchObject({ state: 'idle', problem: null, has_credentials: true });
    expect(first.last_sync).toMatchObject({ counts: { ingested: 4 }, failures: [] });
    expect(JSON.stringify(first)).not.toContain(TOKEN);
    expect(await titles()).toEqual(['Mills', 'Rivers', 'Weirs', 'plan.txt']);
    const found = (await call('POST', '/retrieval/search', { query: 'Rivers' })).body.results.chunk_search_results[0];
    expect(found.metadata).toMatchObject({ space: 'ENG', link: expect.stringContaining(server.site) });

    pages.splice(0, 2, page('1', 'Streams', { version: 2 }), page('4', 'Bridges'));
    file.version = 2;
    file.bytes = 'Another plan.';
    expect((await sync(first.id)).last_sync.counts).toEqual({ replaced: 2, removed: 1, ingested: 1, unchanged: 1 });
    expect(await titles()).toEqual(['Bridges', 'Streams', 'Weirs', 'plan.txt']);

    for (const each of pages) each.status = 'archived';
    expect((await sync(first.id)).problem).toContain('The listing is empty');
    server.refusals.push({ status: 401 });
    expect(await sync(first.id)).toMatchObject({
      state: 'stopped',
      problem: expect.stringContaining('Access refused'),
    });
    await server.close();
    expect(await sync(first.id)).toMatchObject({
      state: 'stopped',
      problem: expect.stringContaining('is not reached'),
    });
    expect(await titles()).toHaveLength(4);
  },
);
