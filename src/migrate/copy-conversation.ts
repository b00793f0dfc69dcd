import type { LimitFunction } from 'p-limit';
import { z } from 'zod';
import { type Copied, type Migration, undefinedIfMissing } from './migration.ts';
import { r2rConversation, r2rMessage, readRecord } from './r2r-records.ts';

interface NamedConversation {
  readonly id: string;
  readonly name: string;
}

const created = z.object({ id: z.string() });
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);

/**
 * Copies one conversation completely; one left incomplete by an interrupted run is copied again. Several may be copied
 * at the same time with one `turns`, a limit of 1.
 */
export async function copyConversation(
  migration: Migration,
  { id, name }: NamedConversation,
  turns: LimitFunction,
): Promise<Copied> {
  const { from, to, state } = migration;
  const known = state.find('conversation', id);
  if (known?.state === 'done') return { to: known.to, outcome: 'present' };
  const messages = await from.messagesOf(id);
  const made = await turns(() => create(migration, { id, name }));
  let parent: string | undefined;
  let without = 0;
  for (const entry of messages) {
    const { message, metadata } = readRecord(r2rMessage, entry, 'message');
    const content = textOf(message.content);
    // Tool calls and their results are not messages.
    if (!ROLES.has(message.role) || content.trim() === '') {
      without++;
      continue;
    }
    // The sources of an answer are unknown after migration, so it counts as based on untrusted text.
    const remarks = message.role === 'assistant' ? { ...metadata, read_untrusted: true } : metadata;
    const body = { role: message.role, content, metadata: remarks, ...(parent !== undefined && { parent_id: parent }) };
    const stored = await to.post(`/conversations/${made}/messages`, body);
    parent = readRecord(created, stored, 'message').id;
  }
  await state.note({ kind: 'conversation', from: id, to: made, state: 'done' });
  return {
    to: made,
    outcome: 'copied',
    ...(without > 0 && { reason: `${without} of ${messages.length} messages have no text and were left out.` }),
  };
}

/**
 * Deletes what an interrupted run left of the conversation, and creates an empty one. In turns, since a conversation that
 * was created but not yet noted looks like one that was left.
 */
async function create({ to, state }: Migration, { id, name }: NamedConversation): Promise<string> {
  const known = state.find('conversation', id);
  const left = known?.to === '' ? await emptyOne({ to, state }, name) : known?.to;
  if (left !== undefined) await undefinedIfMissing(to.delete(`/conversations/${left}`));
  await state.note({ kind: 'conversation', from: id, to: '', state: 'begun' });
  const made = readRecord(created, await to.post('/conversations', name === '' ? {} : { name }), 'conversation');
  await state.note({ kind: 'conversation', from: id, to: made.id, state: 'begun' });
  return made.id;
}

/** An empty conversation of that name, left by a run that was killed after creating it; undefined if there is none. */
async function emptyOne({ to, state }: Pick<Migration, 'to' | 'state'>, name: string): Promise<string | undefined> {
  for await (const entry of to.list('/conversations')) {
    const each = readRecord(r2rConversation, entry, 'conversation');
    if (each.name !== name || state.isTarget('conversation', each.id)) continue;
    const messages = await to.get(`/conversations/${each.id}`);
    if (Array.isArray(messages) && messages.length === 0) return each.id;
  }
  return undefined;
}

const part = z.object({ text: z.string() });

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((each) => part.safeParse(each).data?.text ?? '').join('\n');
}
