import { describe, expect, it } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import { isDocument } from '../../src/documents/filter.ts';
import { newId } from '../../src/documents/ids.ts';
import { startInProcess } from './support/in-process.ts';

const bob = { userId: 'bob', email: 'bob@example.org', isSuperuser: false, collectionIds: [] };

/** A server with a document of the administrator, whose clients log in as the administrator or as Bob. */
async function startForTwo() {
  const mcp = await startInProcess({
    http: { authenticate: async ({ bearer }) => (bearer === 'bob' ? bob : defaultAdmin) },
  });
  const id = await mcp.add('France', 'The capital of France is Paris.');
  const connectAs = (user: string, era: 'legacy' | 'modern') =>
    mcp.connect(era, { headers: { authorization: `Bearer ${user}` } });
  return { mcp, uri: `kb://documents/${id}`, id, connectAs };
}

describe('a subscription', () => {
  it('to a document that the user cannot see is refused like one to a missing document (legacy)', async () => {
    const { uri, connectAs } = await startForTwo();
    const own = await connectAs('admin', 'legacy');
    await own.subscribeResource({ uri });
    const foreign = await connectAs('bob', 'legacy');
    const refusalOf = (wanted: string) =>
      foreign.subscribeResource({ uri: wanted }).then(
        () => 'none',
        (error: Error) => error.message.replace(wanted, 'URI'),
      );
    const refusal = await refusalOf(uri);
    expect(refusal).toContain('There is no document URI.');
    expect(await refusalOf('kb://documents/00000000-0000-4000-8000-000000000000')).toBe(refusal);
    expect(await refusalOf(`${uri}/chunks/00000000-0000-4000-8000-000000000000`)).toContain('There is no document');
    await foreign.subscribeResource({ uri: 'kb://index' });
  });

  it('leaves out documents that the user cannot see (modern)', async () => {
    const { mcp, id, uri, connectAs } = await startForTwo();
    const updated: string[] = [];
    const listen = async (user: string) => {
      const client = await connectAs(user, 'modern');
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        updated.push(`${user} ${params.uri}`);
      });
      return client.listen({ resourceSubscriptions: ['kb://index', uri] });
    };
    const own = await listen('admin');
    const foreign = await listen('bob');
    expect(own.honoredFilter.resourceSubscriptions).toEqual(['kb://index', uri]);
    expect(foreign.honoredFilter.resourceSubscriptions).toEqual(['kb://index']);
    await mcp.services.corpus.setMetadata(id, { year: 2024 }, 'merge');
    await expect.poll(() => updated.toSorted()).toEqual([`admin ${uri}`, 'admin kb://index', 'bob kb://index']);
    await Promise.all([own.close(), foreign.close()]);
  });

  it('to a passage is notified of changes of its document (legacy)', async () => {
    const { mcp, id, uri, connectAs } = await startForTwo();
    const client = await connectAs('admin', 'legacy');
    const updated: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updated.push(params.uri);
    });
    const { items } = await mcp.services.corpus.chunksOf(id, { offset: 0, limit: 1 });
    const passage = `${uri}/chunks/${items[0]?.id}`;
    await client.subscribeResource({ uri: passage });
    await mcp.services.corpus.setMetadata(id, { year: 2024 }, 'merge');
    await expect.poll(() => updated).toEqual([passage]);
  });

  it('ends when its user loses access to the document, on the connection of either era', async () => {
    const { mcp, id, uri, connectAs } = await startForTwo();
    const { collections, corpus } = mcp.services;
    const { id: shared } = await collections.ensure({ id: newId(), ownerId: defaultAdmin.userId, name: 'Shared' });
    await collections.addDocuments(shared, [id]);
    await collections.addMember(shared, bob.userId);
    const updated: string[] = [];
    const follow = async (user: string, era: 'legacy' | 'modern') => {
      const client = await connectAs(user, era);
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        if (params.uri === uri) updated.push(`${user} ${era}`);
      });
      if (era === 'legacy') await client.subscribeResource({ uri });
      else await client.listen({ resourceSubscriptions: [uri] });
    };
    const all = ['admin legacy', 'admin modern', 'bob legacy', 'bob modern'];
    for (const user of ['admin', 'bob']) for (const era of ['legacy', 'modern'] as const) await follow(user, era);
    await corpus.setMetadata(id, { year: 2024 }, 'merge');
    await expect.poll(() => updated.toSorted()).toEqual(all);
    updated.length = 0;
    await collections.removeMember(shared, bob.userId);
    await corpus.setMetadata(id, { year: 2025 }, 'merge');
    await expect.poll(() => updated.toSorted()).toEqual(['admin legacy', 'admin modern']);
    // Joining again does not revive the subscription by itself.
    await collections.addMember(shared, bob.userId);
    await corpus.setMetadata(id, { year: 2026 }, 'merge');
    await expect.poll(() => updated.toSorted()).toEqual([...all.slice(0, 2), ...all.slice(0, 2)].toSorted());
  });

  it('is notified of the removal of its document', async () => {
    const { mcp, id, uri, connectAs } = await startForTwo();
    const updated: string[] = [];
    for (const era of ['legacy', 'modern'] as const) {
      const client = await connectAs('admin', era);
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        updated.push(`${era} ${params.uri}`);
      });
      if (era === 'legacy') await client.subscribeResource({ uri });
      else await client.listen({ resourceSubscriptions: [uri] });
    }
    await mcp.services.corpus.remove(isDocument(id));
    await expect.poll(() => updated.toSorted()).toEqual([`legacy ${uri}`, `modern ${uri}`]);
  });
});
