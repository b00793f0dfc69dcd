import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deleteDocuments } from '../../src/access/delete-documents.ts';
import { defaultAdmin, type Principal } from '../../src/access/principal.ts';
import { ingest, newChunk, newDocument, openTestStore } from '../support/store.ts';

const shared = randomUUID();
const user = (): Principal => ({
  userId: randomUUID(),
  email: 'a@example.com',
  isSuperuser: false,
  collectionIds: [shared],
});

describe('a deletion of listed documents', () => {
  it('deletes those of the caller, and says why others stay', async () => {
    const store = await openTestStore();
    const [alice, bob] = [user(), user()];
    const own = newDocument('own', { ownerId: alice.userId });
    const foreign = newDocument('foreign', { ownerId: bob.userId, collectionIds: [shared] });
    const hidden = newDocument('hidden', { ownerId: bob.userId, collectionIds: [] });
    const other = newDocument('not listed', { ownerId: alice.userId });
    for (const document of [own, foreign, hidden, other]) await ingest(store, document, [newChunk(0)]);

    const ids = [own.id, foreign.id, hidden.id, own.id];
    const { receipt, undeleted } = await deleteDocuments(store.corpus, ids, alice);

    expect(receipt).toMatchObject({ documents: 1, chunks: 1, verified: true });
    expect(undeleted).toEqual([
      { documentId: foreign.id, code: 'forbidden', message: 'Only its owner may delete this document.' },
      { documentId: hidden.id, code: 'not_found', message: 'There is no such document.' },
    ]);
    const left = await store.corpus.list({ kind: 'all' }, { offset: 0, limit: 10 });
    expect(left.items.map(({ title }) => title).sort()).toEqual(['foreign', 'hidden', 'not listed']);
  });

  it('deletes documents of all owners for superusers, and nothing if there is no document', async () => {
    const store = await openTestStore();
    const document = newDocument('of a user', { ownerId: user().userId });
    await ingest(store, document, [newChunk(0)]);
    const missing = randomUUID();
    expect(await deleteDocuments(store.corpus, [missing], defaultAdmin)).toMatchObject({
      receipt: { documents: 0 },
      undeleted: [{ documentId: missing, code: 'not_found' }],
    });
    expect(await deleteDocuments(store.corpus, [document.id], defaultAdmin)).toMatchObject({
      receipt: { documents: 1 },
      undeleted: [],
    });
  });
});
