import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { Conversation, StoredMessage, StoredRole } from '../../store/records.ts';
import { id, metadata, timestamp } from './record-parts.ts';
import { optional, snakeCased } from './tolerant.ts';

/** docs/contract.md 8. */
export const conversationRecord = z
  .object({ id, created_at: timestamp, user_id: id, name: z.string().nullable() })
  .meta({ id: 'Conversation' }) satisfies z.ZodType<ReturnType<typeof toConversationRecord>>;

export const messageRecord = z
  .object({
    id,
    message: z.object({
      role: z.enum(['system', 'user', 'assistant']),
      content: z.string(),
      name: z.null(),
      function_call: z.null(),
      tool_calls: z.null(),
      tool_call_id: z.null(),
      metadata: z.null(),
      structured_content: z.null(),
      image_url: z.null(),
      image_data: z.null(),
    }),
    metadata,
  })
  .meta({ id: 'ConversationMessage' }) satisfies z.ZodType<ReturnType<typeof toMessageRecord>>;

/** docs/contract.md 8. */
export function toConversationRecord({ id, createdAt, userId, name }: Conversation) {
  return { id, created_at: createdAt, user_id: userId, name };
}

/** docs/contract.md 4.4 and 8: a message always has all ten keys. */
export function toMessageRecord({ id, role, content, metadata }: StoredMessage) {
  return {
    id,
    message: {
      role,
      content,
      name: null,
      function_call: null,
      tool_calls: null,
      tool_call_id: null,
      metadata: null,
      structured_content: null,
      image_url: null,
      image_data: null,
    },
    metadata,
  };
}

const name = z.string().trim().max(1_000);

/** A blank name counts as absent, so that the conversation gets one after its first turn. */
export const newConversation = z.object({ name: optional(name.transform((text) => (text === '' ? undefined : text))) });

export const conversationName = z.object({ name: name.min(1) });

/** The contract requires 400, not 422, for an invalid role or an empty message. */
export const newMessage = snakeCased(
  z.object({
    content: optional(z.string()),
    role: optional(z.string()),
    // r2r-js spells it parentID.
    parent_id: optional(z.guid().toLowerCase()),
    metadata: optional(metadata),
    only_answer: optional(z.boolean()).describe('Refuse a second answer of this kind to the parent, with 409'),
  }),
).transform((wire) => ({
  content: textOf(wire.content),
  role: roleOf(wire.role),
  parentId: wire.parent_id ?? null,
  metadata: wire.metadata ?? {},
  isOnlyAnswer: wire.only_answer ?? false,
}));

export const messageChange = z.object({
  content: optional(z.string().transform(textOf)),
  metadata: optional(metadata),
});

function textOf(content: string | undefined): string {
  if (content !== undefined && content.trim() !== '') return content;
  throw new ServiceError('invalid_request', 'The message is empty; it needs content.');
}

function roleOf(role: string | undefined): StoredRole {
  if (role === 'user' || role === 'assistant' || role === 'system') return role;
  throw new ServiceError('invalid_request', 'The role of a message is user, assistant or system.');
}
