import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { r2rClient } from 'r2r-js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PATIENT } from '../support/patience.ts';
import { startCitewell } from './support/start-citewell.ts';
import type { RunningHttp } from './support/start-http.ts';

// R2R's public client, unmodified, against this service: all its methods for graphs.

const TEXT = `Ada Lovelace worked with Charles Babbage in London. Charles Babbage designed the Analytical Engine.
Ada Lovelace wrote notes about the Analytical Engine. Luigi Menabrea described the Analytical Engine in Turin.
Charles Babbage met Luigi Menabrea in Turin. Ada Lovelace translated the paper of Luigi Menabrea.`;

let http: RunningHttp;
let client: r2rClient;
let folder: string;
let collectionId: string;
let documentId: string;

beforeAll(async () => {
  http = await startCitewell({ accounts: { passwordCost: 4 } });
  vi.stubEnv('R2R_API_KEY', '');
  client = new r2rClient(http.url);
  folder = await mkdtemp(join(tmpdir(), 'citewell-graphs-'));
  collectionId = (await client.collections.create({ name: 'Engines' })).results.id;
  const created = await client.documents.create({
    raw_text: TEXT,
    metadata: { title: 'Engines' },
    collectionIds: [collectionId],
  });
  documentId = created.results.documentId;
});
afterAll(async () => {
  await http.close();
  await rm(folder, { recursive: true, force: true });
});

/** Results missing from the client's types. */
const results = (response: unknown) => (response as { results: never }).results as never;

// A graph grows from one test to the next, as it does in use.
describe('graphs over HTTP', { shuffle: false }, () => {
  describe('the graph of a document', () => {
    it('is extracted, listed, filtered, deduplicated and exported', async () => {
      const before = await client.documents.retrieve({ id: documentId });
      expect(before.results).toMatchObject({ extractionStatus: 'pending' });
      expect(results(await client.documents.extract({ id: documentId }))).toMatchObject({
        message: 'Graph extraction completed successfully.',
      });
      expect((await client.documents.retrieve({ id: documentId })).results).toMatchObject({
        extractionStatus: 'success',
      });

      const entities = await client.documents.listEntities({ id: documentId });
      const names = entities.results.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['Ada Lovelace', 'Charles Babbage']));
      expect(entities.results[0]).toMatchObject({ parentId: documentId, chunkIds: [expect.any(String)] });
      expect(entities.totalEntries).toBe(names.length);
      const embedded = await client.documents.listEntities({
        id: documentId,
        limit: 1,
        includeEmbeddings: true,
      } as never);
      expect(embedded.results).toHaveLength(1);

      const all = await client.documents.listRelationships({ id: documentId });
      expect(all.totalEntries).toBeGreaterThan(0);
      const some = await client.documents.listRelationships({ id: documentId, entityNames: ['Luigi Menabrea'] });
      expect(some.totalEntries).toBeGreaterThan(0);
      expect(some.totalEntries).toBeLessThan(all.totalEntries);
      for (const { subject, object } of some.results) expect([subject, object]).toContain('Luigi Menabrea');

      const path = join(folder, 'entities.csv');
      await client.documents.exportEntities({ id: documentId, outputPath: path, columns: ['name', 'category'] });
      expect((await readFile(path, 'utf8')).split('\r\n')[0]).toBe('"name","category"');
      await client.documents.exportRelationships({ id: documentId, outputPath: path });
      expect(await readFile(path, 'utf8')).toMatch(/^"id","subject","predicate","object"/);

      expect(results(await client.documents.deduplicate({ id: documentId }))).toMatchObject({
        message: expect.any(String),
      });
      expect((await client.documents.retrieve({ id: documentId })).results).toMatchObject({
        extractionStatus: 'enriched',
      });
    });

    it('estimates an extraction, and refuses settings that extract nothing', async () => {
      const asked = await http.post(`/v3/documents/${documentId}/extract`, { run_type: 'estimate' });
      expect(await asked.json()).toMatchObject({
        results: { estimate: { model: 'builtin/noun-phrases-v1', documents: 1, calls: 0, cost_usd: 0 } },
      });
      const wrong = await http.post(`/v3/documents/${documentId}/extract`, {
        settings: { model: 'builtin/extractive' },
      });
      expect(wrong.status).toBe(400);
      expect(await wrong.json()).toMatchObject({ message: expect.stringContaining('extracts no graph') });
    });
  });

  describe('the graph of a collection', () => {
    it('is listed, described, pulled, built once, viewed, exported and reset', async () => {
      const listed = await client.graphs.list({ collectionIds: [collectionId] });
      expect(listed).toMatchObject({ totalEntries: 1, results: [{ id: collectionId, name: 'Engines' }] });
      const updated = await client.graphs.update({ collectionId, name: 'Machines', description: 'Of brass.' });
      expect(updated.results).toMatchObject({ name: 'Machines', description: 'Of brass.' });
      expect((await client.graphs.retrieve({ collectionId })).results).toMatchObject({ name: 'Machines' });

      expect((await client.graphs.pull({ collectionId })).results).toMatchObject({ success: true });
      expect((await client.graphs.pull({ collectionId })).results).toMatchObject({ success: false });
      const forced = await http.post(`/v3/graphs/${collectionId}/pull`, { force: true });
      expect(forced.status).toBe(200);
      const streamed = await http.post(`/v3/graphs/${collectionId}/pull`, { force: true, stream: true });
      expect(await streamed.text()).toBe(
        'event: progress\ndata: {"done":1,"total":1}\n\n' +
          'event: pulled\ndata: {"success":false,"documents":0}\n\nevent: done\ndata: [DONE]\n\n',
      );
      expect((await client.collections.retrieve({ id: collectionId })).results).toMatchObject({
        graphSyncStatus: 'success',
      });

      const entities = await client.graphs.listEntities({ collectionId });
      expect(entities.results.map(({ name }) => name)).toContain('Charles Babbage');
      const [first] = entities.results;
      const got = await client.graphs.getEntity({ collectionId, entityId: String(first?.id) });
      expect(got.results).toMatchObject({ name: first?.name, parentId: collectionId });
      const relationships = await client.graphs.listRelationships({ collectionId });
      expect(relationships.totalEntries).toBeGreaterThan(0);

      expect(results(await client.graphs.buildCommunities({ collectionId }))).toMatchObject({
        message: expect.stringMatching(/^Communities built: \d+\.$/),
      });
      await expect(client.graphs.buildCommunities({ collectionId })).rejects.toThrow(/Status 400: .*built already/);
      const communities = await client.graphs.listCommunities({ collectionId });
      expect(communities.totalEntries).toBeGreaterThan(0);
      const [community] = communities.results;
      const fetched = await client.graphs.getCommunity({ collectionId, communityId: String(community?.id) });
      expect(fetched.results).toMatchObject({
        collectionId,
        summary: expect.any(String),
        rating: expect.any(Number),
      });

      const view = JSON.parse(await (await fetch(`${http.url}/v3/graphs/${collectionId}/view?limit=3`)).text());
      expect(view.results).toMatchObject({ total_nodes: entities.totalEntries, offset: 0, limit: 3 });
      expect(view.results.nodes).toHaveLength(3);
      const shown = new Set(view.results.nodes.map(({ id }: { id: string }) => id));
      for (const { source, target } of view.results.edges) expect(shown.has(source) && shown.has(target)).toBe(true);

      for (const kind of ['Entities', 'Relationships', 'Communities'] as const) {
        const path = join(folder, `${kind}.csv`);
        await client.graphs[`export${kind}`]({ collectionId, outputPath: path });
        expect((await readFile(path, 'utf8')).split('\r\n').length).toBeGreaterThan(2);
      }

      expect(results(await client.graphs.removeDocument({ collectionId, documentId }))).toMatchObject({
        success: true,
      });
      expect(await client.graphs.listEntities({ collectionId })).toMatchObject({ totalEntries: 0 });
      await expect(client.graphs.removeDocument({ collectionId, documentId })).rejects.toThrow(/Status 404/);
      expect((await client.graphs.reset({ collectionId })).results).toMatchObject({ success: true });
      const resetStream = await http.post(`/v3/graphs/${collectionId}/reset`, { stream: true });
      expect(await resetStream.text()).toMatch(
        /event: reset\ndata: {"success":true}\n\nevent: done\ndata: \[DONE\]\n\n$/,
      );
      expect((await client.collections.retrieve({ id: collectionId })).results).toMatchObject({
        graphSyncStatus: 'pending',
        graphClusterStatus: 'pending',
      });
      await client.graphs.buildCommunities({ collectionId });
    });

    it('accepts entities, relationships and communities created by hand', async () => {
      const create = async (name: string) =>
        (await client.graphs.createEntity({ collectionId, name, description: `About ${name}.`, category: 'thing' }))
          .results;
      const [raskolnikov, sonya] = [await create('Raskolnikov'), await create('Sonya')];
      expect(raskolnikov).toMatchObject({ name: 'Raskolnikov', category: 'thing', chunkIds: [] });
      const changed = await client.graphs.updateEntity({
        collectionId,
        entityId: String(raskolnikov.id),
        name: 'Rodion',
        metadata: { age: 23 },
      });
      expect(changed.results).toMatchObject({
        name: 'Rodion',
        description: 'About Raskolnikov.',
        metadata: { age: 23 },
      });

      const ends = { subjectId: String(sonya.id), objectId: String(raskolnikov.id) };
      const relationship = await client.graphs.createRelationship({
        collectionId,
        ...ends,
        subject: 'Sonya',
        predicate: 'reads to',
        object: 'Rodion',
        description: 'Of Lazarus.',
      });
      expect(relationship.results).toMatchObject({ predicate: 'reads to', weight: 1, ...ends });
      const relationshipId = String(relationship.results.id);
      const reworded = await client.graphs.updateRelationship({ collectionId, relationshipId, predicate: 'pities' });
      expect(reworded.results).toMatchObject({ predicate: 'pities', description: 'Of Lazarus.' });
      expect((await client.graphs.getRelationship({ collectionId, relationshipId })).results).toMatchObject(ends);
      await expect(
        client.graphs.createRelationship({
          collectionId,
          ...ends,
          subjectId: collectionId,
          subject: 'Nobody',
          predicate: 'is',
          object: 'here',
          description: '',
        }),
      ).rejects.toThrow(/Status 404: There is no entity/);

      const community = await client.graphs.createCommunity({
        collectionId,
        name: 'Petersburg',
        summary: 'Who meets there.',
        findings: ['They meet.'],
        rating: 9,
        ratingExplanation: 'It is the novel.',
      });
      expect(community.results).toMatchObject({ name: 'Petersburg', rating: 9, ratingExplanation: 'It is the novel.' });
      const communityId = String(community.results.id);
      const renamed = await client.graphs.updateCommunity({ collectionId, communityId, name: 'Hay Market' });
      expect(renamed.results).toMatchObject({ name: 'Hay Market', summary: 'Who meets there.' });
      expect((await client.graphs.getCommunity({ collectionId, communityId })).results).toMatchObject({ level: 0 });

      expect(results(await client.graphs.deleteCommunity({ collectionId, communityId }))).toMatchObject({
        success: true,
      });
      expect(results(await client.graphs.removeRelationship({ collectionId, relationshipId }))).toMatchObject({
        success: true,
      });
      expect(results(await client.graphs.removeEntity({ collectionId, entityId: String(sonya.id) }))).toMatchObject({
        success: true,
      });
      await expect(client.graphs.getEntity({ collectionId, entityId: String(sonya.id) })).rejects.toThrow(
        `Status 404: There is no entity ${sonya.id} in this graph.`,
      );
      const bad = await http.post(`/v3/graphs/${collectionId}/communities`, { name: 'x', rating: 11 });
      expect(bad.status).toBe(422);
    });

    it('is extracted as a whole', async () => {
      const asked = await http.post(`/v3/collections/${collectionId}/extract`, { run_type: 'estimate' });
      expect(await asked.json()).toMatchObject({ results: { estimate: { documents: 1 } } });
      const queued = await http.post(`/v3/collections/${collectionId}/extract`, '');
      expect(await queued.json()).toMatchObject({ results: { documents: 1 } });
      await expect
        .poll(async () => (await client.documents.retrieve({ id: documentId })).results.extractionStatus, PATIENT)
        .toBe('success');
    });
  });

  describe('search', () => {
    it('includes graph results beside passages, unless switched off', async () => {
      const found = await client.retrieval.search({ query: 'Who was Charles Babbage?' });
      const { graphSearchResults, chunkSearchResults } = found.results as never as Record<string, never[]>;
      expect(chunkSearchResults?.length).toBeGreaterThan(0);
      const kinds = new Set(graphSearchResults?.map(({ resultType }) => resultType));
      expect(kinds).toContain('entity');
      expect(kinds).toContain('relationship');
      expect(graphSearchResults?.[0]).toMatchObject({
        content: { name: 'Charles Babbage' },
        chunkIds: [expect.any(String)],
        metadata: { associatedQuery: 'Who was Charles Babbage?', documents: [{ title: 'Engines' }] },
      });
      const search = async (body: object) => {
        const response = await http.post('/v3/retrieval/search', { query: 'Charles Babbage', ...body });
        return JSON.parse(await response.text()).results;
      };
      const off = await search({ graph_search_settings: { use_graph_search: false } });
      expect(off.graph_search_results).toEqual([]);
      const only = await search({ search_settings: { chunk_settings: { enabled: false } } });
      expect(only.chunk_search_results).toEqual([]);
      expect(only.graph_search_results.length).toBeGreaterThan(0);
      const limited = await search({
        search_settings: { graph_settings: { limits: { entities: 1, relationships: 0 } } },
      });
      expect(limited.graph_search_results.map(({ result_type }: { result_type: string }) => result_type)).toEqual([
        'entity',
      ]);
    });
  });

  describe('another user', () => {
    it('finds no graph of others', async () => {
      const email = 'eve@example.org';
      await client.users.create({ email, password: 'a-long-password' });
      const eve = new r2rClient(http.url);
      await eve.users.login({ email, password: 'a-long-password' });
      const refused = [
        () => eve.graphs.retrieve({ collectionId }),
        () => eve.graphs.update({ collectionId, name: 'Mine' }),
        () => eve.graphs.pull({ collectionId }),
        () => eve.graphs.reset({ collectionId }),
        () => eve.graphs.buildCommunities({ collectionId }),
        () => eve.graphs.listEntities({ collectionId }),
        () => eve.graphs.createEntity({ collectionId, name: 'x', description: 'x' }),
        () => eve.graphs.listRelationships({ collectionId }),
        () => eve.graphs.listCommunities({ collectionId }),
        () => eve.graphs.removeDocument({ collectionId, documentId }),
        () => eve.documents.listEntities({ id: documentId }),
        () => eve.documents.listRelationships({ id: documentId }),
        () => eve.documents.extract({ id: documentId }),
        () => eve.documents.deduplicate({ id: documentId }),
      ];
      for (const call of refused) await expect(call()).rejects.toThrow(/Status 404/);
      await expect(eve.graphs.exportEntities({ collectionId })).rejects.toThrow(/Status 403/);
      const found = await eve.retrieval.search({ query: 'Charles Babbage' });
      expect(found.results).toMatchObject({ graphSearchResults: [], chunkSearchResults: [] });

      const { id } = (await eve.users.me()).results;
      await client.collections.addUser({ id: collectionId, userId: id });
      const member = await eve.graphs.listEntities({ collectionId });
      expect(member.totalEntries).toBeGreaterThan(0);
      // Members see the documents' graphs; only the owner can have them extracted again.
      expect((await eve.documents.listEntities({ id: documentId })).totalEntries).toBeGreaterThan(0);
      await expect(eve.documents.extract({ id: documentId })).rejects.toThrow(/Status 403/);
    });
  });
});
