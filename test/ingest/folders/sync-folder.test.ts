import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { everything } from '../../../src/documents/filter.ts';
import type { FolderTarget } from '../../../src/ingest/folders/folder-target.ts';
import { localTarget } from '../../../src/ingest/folders/local-target.ts';
import { syncPaths } from '../../../src/ingest/folders/sync-folder.ts';
import { newDocument, openTestStore } from '../../support/store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { signal } = new AbortController();

it('reads the documents of the files of a folder together', async () => {
  const root = await temporaryFolder();
  const { corpus, sources } = await openTestStore();
  const files = ['beavers', 'otters', 'voles'].map((name) => ({ name, path: join(root, `${name}.md`) }));
  const { ownerId } = newDocument('any');
  for (const { name, path } of files) {
    await writeFile(path, `About ${name}.`);
    const source = pathToFileURL(path).href;
    await corpus.begin(newDocument(name, { source, bytes: Buffer.from(`About ${name}.`) }));
  }
  const notCalled = () => Promise.reject(new Error('Nothing is to be ingested.'));
  const ingestor = { submit: notCalled, run: notCalled as never };
  const target = localTarget({ userId: ownerId, collectionIds: async () => [] }, { corpus, sources, ingestor });
  const requests: (readonly string[])[] = [];
  const client: FolderTarget = {
    ...target,
    documentOf: notCalled,
    documentsOf(asked) {
      requests.push(asked.toSorted());
      return target.documentsOf(asked);
    },
  };
  const parts = { client, root, metadata: {}, collections: [], dataFolder: join(root, '.citewell') };
  const how = { keepDeleted: true, duplicates: new Map(), settleMs: () => 0, within: [root] };
  const steps = await Array.fromAsync(syncPaths([root], { ...parts, ...how, stop: signal, abandon: signal }));
  expect(steps.map(({ type }) => type)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  expect(requests).toEqual([files.map(({ path }) => pathToFileURL(path).href)]);
});

it('removes nothing when the folder is moved away while missing files are looked for', async () => {
  const base = await temporaryFolder();
  const root = join(base, 'papers');
  await mkdir(root);
  const { corpus, sources } = await openTestStore();
  const { ownerId } = newDocument('any');
  for (const name of ['beavers', 'otters']) {
    const path = join(root, `${name}.md`);
    await writeFile(path, `About ${name}.`);
    await corpus.begin(newDocument(name, { source: pathToFileURL(path).href, bytes: Buffer.from(`About ${name}.`) }));
  }
  const notCalled = () => Promise.reject(new Error('Nothing is to be ingested.'));
  const ingestor = { submit: notCalled, run: notCalled as never };
  const target = localTarget({ userId: ownerId, collectionIds: async () => [] }, { corpus, sources, ingestor });
  const client: FolderTarget = {
    ...target,
    async documentsBelow(asked) {
      const page = await target.documentsBelow(asked);
      await rename(root, join(base, 'away'));
      return page;
    },
  };
  const parts = { client, root, metadata: {}, collections: [], dataFolder: join(base, '.citewell') };
  const how = { keepDeleted: false, duplicates: new Map(), settleMs: () => 0, within: [root] };
  const steps = await Array.fromAsync(syncPaths([root], { ...parts, ...how, stop: signal, abandon: signal }));
  expect(steps.map(({ type }) => type)).toEqual(['unchanged', 'unchanged', 'kept']);
  expect((await corpus.list(everything, { offset: 0, limit: 10 })).total).toBe(2);
});

it('deletes the documents of missing files together, and those whose content is in another file not at all', async () => {
  const root = await temporaryFolder();
  const { corpus, sources } = await openTestStore();
  const { ownerId } = newDocument('any');
  await writeFile(join(root, 'kept.md'), 'About kept ones.');
  await writeFile(join(root, 'copy.md'), 'About moved ones.');
  const sourceOf = (name: string) => pathToFileURL(join(root, `${name}.md`)).href;
  const begin = async (name: string) => {
    const document = newDocument(name, { source: sourceOf(name), bytes: Buffer.from(`About ${name} ones.`) });
    await corpus.begin(document);
    return document.id;
  };
  await begin('kept');
  const moved = await begin('moved');
  const gone = await Promise.all(Array.from({ length: 12 }, (_, number) => begin(`gone ${number}`)));
  const notCalled = () => Promise.reject(new Error('Nothing is to be ingested.'));
  const ingestor = { submit: notCalled, run: notCalled as never };
  const target = localTarget({ userId: ownerId, collectionIds: async () => [] }, { corpus, sources, ingestor });
  const deletions: (readonly string[])[] = [];
  const client: FolderTarget = {
    ...target,
    ingest: async () => ({ outcome: 'duplicate', documentId: moved }),
    deleteDocuments(ids) {
      deletions.push(ids);
      return target.deleteDocuments(ids);
    },
  };
  const parts = { client, root, metadata: {}, collections: [], dataFolder: join(root, '.citewell') };
  const duplicates = new Map([[moved, new Set([join(root, 'copy.md')])]]);
  const how = { keepDeleted: false, duplicates, settleMs: () => 0 };
  const steps = await Array.fromAsync(syncPaths([root], { ...parts, ...how, stop: signal, abandon: signal }));
  expect(deletions.map((ids) => ids.toSorted())).toEqual([gone.toSorted()]);
  expect(steps.filter(({ type }) => type === 'removed')).toHaveLength(12);
  expect((await corpus.list(everything, { offset: 0, limit: 50 })).total).toBe(2);
  expect((await corpus.get(moved))?.source).toBe(sourceOf('copy'));
});
