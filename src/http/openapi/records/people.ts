import { z } from 'zod';
import type { toCollectionRecord } from '../../wire/collection-record.ts';
import type { toConversationRecord, toMessageRecord } from '../../wire/conversation-record.ts';
import type { toTokenRecord } from '../../wire/sign-in.ts';
import type { toKeyRecord, toUserRecord } from '../../wire/user-record.ts';
import { id, ids, metadata, results, timestamp } from './shared.ts';

/** docs/contract.md 10. */
export const userRecord = z
  .object({
    id,
    email: z.string(),
    is_active: z.boolean(),
    is_superuser: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
    is_verified: z.boolean(),
    collection_ids: ids,
    graph_ids: ids,
    document_ids: ids.describe('The newest thousand; empty in lists.'),
    limits_overrides: metadata,
    metadata,
    verification_code_expiry: z.null(),
    name: z.string().nullable(),
    bio: z.string().nullable(),
    profile_picture: z.string().nullable(),
    total_size_in_bytes: z.int(),
    num_files: z.int(),
    account_type: z.literal('password'),
    hashed_password: z.null().describe('What proves an identity stays inside.'),
    google_id: z.null(),
    github_id: z.null(),
  })
  .meta({ id: 'User' }) satisfies z.ZodType<ReturnType<typeof toUserRecord>>;

const token = <Type extends string>(type: Type) => z.object({ token: z.string(), token_type: z.literal(type) });

export const tokens = results(
  z.object({ access_token: token('access'), refresh_token: token('refresh') }).meta({ id: 'Tokens' }),
) satisfies z.ZodType<{ results: ReturnType<typeof toTokenRecord> }>;

export const keyRecord = z
  .object({
    key_id: id,
    public_key: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    updated_at: timestamp,
  })
  .meta({ id: 'ApiKey' }) satisfies z.ZodType<ReturnType<typeof toKeyRecord>>;

export const newKeyRecord = z
  .object({
    public_key: z.string(),
    api_key: z.string().describe('The whole key, shown this once.'),
    key_id: id,
    name: z.string(),
  })
  .meta({ id: 'NewApiKey' });

const share = z.object({ limit: z.number().nullable(), used: z.number(), remaining: z.number().nullable() });
const rates = z.object({
  global_per_min: z.number().nullable(),
  route_per_min: z.number().nullable(),
  monthly_limit: z.number().nullable(),
});

/** Null means no limit. */
export const limitsRecord = z
  .object({
    storage_limits: z.record(z.string(), share),
    system_defaults: rates,
    user_overrides: metadata,
    effective_limits: rates,
    usage: z.object({ global_per_min: share, monthly_limit: share, routes: z.record(z.string(), share) }),
  })
  .meta({ id: 'Limits' });

const graphStatus = z.enum(['pending', 'processing', 'outdated', 'success', 'failed']);

/** docs/contract.md 9. */
export const collectionRecord = z
  .object({
    id,
    owner_id: id,
    name: z.string(),
    description: z.string().nullable(),
    graph_cluster_status: graphStatus,
    graph_sync_status: graphStatus,
    created_at: timestamp,
    updated_at: timestamp,
    user_count: z.int(),
    document_count: z.int(),
  })
  .meta({ id: 'Collection' }) satisfies z.ZodType<ReturnType<typeof toCollectionRecord>>;

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
