import { describe, expect, it } from 'vitest';
import { defaultAdmin, type Principal } from '../../src/access/principal.ts';
import { createConversations } from '../../src/conversations/conversations.ts';
import { newId, userId } from '../../src/documents/ids.ts';

import { describeEngines } from '../support/engines.ts';

describeEngines('Conversations', ({ openTestStore }) => {
  const user = (email: string): Principal => ({ userId: userId(email), email, isSuperuser: false, collectionIds: [] });
  const [anna, boris] = [user('anna@example.com'), user('boris@example.com')];
  const all = { ids: [], offset: 0, limit: 100 };

  const open = async () => createConversations((await openTestStore()).conversations);

  describe('conversations', () => {
    it('are listed newest first: own ones for a user, all for a superuser', async () => {
      const conversations = await open();
      const one = await conversations.create(anna, 'one');
      const two = await conversations.create(anna, null);
      const three = await conversations.create(boris, 'three');
      expect(await conversations.list(anna, all)).toEqual({ items: [two, one], total: 2 });
      expect((await conversations.list(defaultAdmin, all)).items).toEqual([three, two, one]);
      expect(await conversations.list(defaultAdmin, { ...all, offset: 1, limit: 1 })).toEqual({
        items: [two],
        total: 3,
      });
      expect((await conversations.list(anna, { ...all, ids: [one.id, three.id] })).items).toEqual([one]);
    });

    it('of other users are not found by any operation', async () => {
      const conversations = await open();
      const { id } = await conversations.create(anna, 'hers');
      const message = await conversations.append(anna, id, { role: 'user', content: 'Hello' });
      const attempts = [
        () => conversations.get(boris, id),
        () => conversations.messages(boris, id),
        () => conversations.rename(boris, id, 'his'),
        () => conversations.remove(boris, id),
        () => conversations.append(boris, id, { role: 'user', content: 'Hello' }),
        () => conversations.edit(boris, id, message.id, { content: 'changed' }),
        () => conversations.get(anna, newId()),
        () => conversations.get(anna, 'not an id'),
      ];
      for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
      expect(await conversations.get(defaultAdmin, id)).toMatchObject({ name: 'hers' });
    });

    it('keep their messages in order, and delete them with themselves', async () => {
      const conversations = await open();
      const { id } = await conversations.create(anna, null);
      const question = await conversations.append(anna, id, {
        role: 'user',
        content: 'Why?',
        metadata: { mood: 'curious' },
      });
      const answer = await conversations.append(anna, id, {
        role: 'assistant',
        content: 'Because.',
        parentId: question.id,
      });
      expect(await conversations.messages(anna, id)).toEqual([question, answer]);
      expect(question).toMatchObject({ conversationId: id, parentId: null, metadata: { mood: 'curious' } });
      expect(answer.parentId).toBe(question.id);
      expect(await conversations.rename(anna, id, 'Reasons')).toMatchObject({ id, name: 'Reasons' });
      await conversations.remove(anna, id);
      await expect(conversations.messages(anna, id)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('take one of several answers that are meant to be the only one', async () => {
      const conversations = await open();
      const { id } = await conversations.create(anna, null);
      const question = await conversations.append(anna, id, { role: 'user', content: 'Why?' });
      const answer = { role: 'assistant', content: 'Because.', isOnlyAnswer: true } as const;
      const only = async () => conversations.append(anna, id, { ...answer, parentId: question.id });
      const tried = await Promise.allSettled([only(), only(), only()]);
      expect(tried.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
      await expect(only()).rejects.toMatchObject({ code: 'conflict' });
      await expect(conversations.append(anna, id, answer)).rejects.toMatchObject({ code: 'invalid_request' });
      await conversations.append(anna, id, { role: 'assistant', content: 'Again.', parentId: question.id });
      expect((await conversations.messages(anna, id)).map(({ content }) => content)).toEqual([
        'Why?',
        'Because.',
        'Again.',
      ]);
    });

    it('refuse an empty message and a parent of another conversation', async () => {
      const conversations = await open();
      const { id } = await conversations.create(anna, null);
      const elsewhere = await conversations.create(anna, null);
      const message = await conversations.append(anna, elsewhere.id, { role: 'user', content: 'Hello' });
      const append = (content: string, parentId?: string) =>
        conversations.append(anna, id, { role: 'user', content, ...(parentId !== undefined && { parentId }) });
      await expect(append('')).rejects.toMatchObject({ code: 'invalid_request' });
      await expect(append(' \n')).rejects.toMatchObject({ code: 'invalid_request' });
      for (const parent of [message.id, newId(), 'x']) {
        await expect(append('Hello', parent)).rejects.toMatchObject({ code: 'not_found' });
      }
      expect(await conversations.messages(anna, id)).toEqual([]);
    });

    it('merge the metadata of a message and mark an edited one', async () => {
      const conversations = await open();
      const { id } = await conversations.create(anna, null);
      const first = await conversations.append(anna, id, { role: 'user', content: 'Helo', metadata: { a: 1, b: 1 } });
      const edit = (change: Parameters<typeof conversations.edit>[3]) => conversations.edit(anna, id, first.id, change);
      expect(await edit({})).toEqual(first);
      expect(await edit({ metadata: { b: 2 } })).toMatchObject({ content: 'Helo', metadata: { a: 1, b: 2 } });
      expect((await edit({ content: 'Helo' })).metadata).toEqual({ a: 1, b: 2 });
      const edited = await edit({ content: 'Hello' });
      expect(edited).toMatchObject({ content: 'Hello', metadata: { a: 1, b: 2, edited: true } });
      expect((await edit({ metadata: { c: 3 } })).metadata).toEqual({ a: 1, b: 2, c: 3, edited: true });
      expect(await conversations.messages(anna, id)).toHaveLength(1);
      await expect(edit({ content: '' })).rejects.toMatchObject({ code: 'invalid_request' });
      const unknown = conversations.edit(anna, id, newId(), { content: 'x' });
      await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
    });
  });
});
