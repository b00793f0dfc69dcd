import { z } from 'zod';
import { type Copied, type Migration, undefinedIfMissing } from './migration.ts';
import { r2rMessage, readRecord } from './r2r-records.ts';

interface NamedConversation {
  readonly id: string;
  readonly name: string;
}

const created = z.object({ id: z.string() });
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);

/** Copies one conversation completely; one left incomplete by an interrupted run is copied again. */
export async function copyConversation(
  { from, to, state }: Migration,
  { id, name }: NamedConversation,
): Promise<Copied> {
  const known = state.find('conversation', id);
  if (known?.state === 'done') return { to: known.to, outcome: 'present' };
  if (known !== undefined) await undefinedIfMissing(to.delete(`/conversations/${known.to}`));

  const messages = await from.messagesOf(id);
  const made = readRecord(created, await to.post('/conversations', name === '' ? {} : { name }), 'conversation');
  await state.note({ kind: 'conversation', from: id, to: made.id, state: 'begun' });
  let parent: string | undefined;
  let left = 0;
  for (const entry of messages) {
    const { message, metadata } = readRecord(r2rMessage, entry, 'message');
    const content = textOf(message.content);
    // Tool calls and their results are not messages.
    if (!ROLES.has(message.role) || content.trim() === '') {
      left++;
      continue;
    }
    // The sources of an answer are unknown after migration.
    const remarks = message.role === 'assistant' ? { ...metadata, read_untrusted: true } : metadata;
    const body = { role: message.role, content, metadata: remarks, ...(parent !== undefined && { parent_id: parent }) };
    const stored = await to.post(`/conversations/${made.id}/messages`, body);
    parent = readRecord(created, stored, 'message').id;
  }
  await state.note({ kind: 'conversation', from: id, to: made.id, state: 'done' });
  return {
    to: made.id,
    outcome: 'copied',
    ...(left > 0 && { reason: `${left} of ${messages.length} messages have no text and were left out.` }),
  };
}

const part = z.object({ text: z.string() });

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((each) => part.safeParse(each).data?.text ?? '').join('\n');
}
