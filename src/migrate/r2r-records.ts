import { z } from 'zod';
import { ServiceError } from '../errors.ts';

/** The used fields of R2R's records (docs/contract.md 6.1, 8, 9); all others are ignored. */
const metadata = z
  .record(z.string(), z.json())
  .nullish()
  .transform((value) => value ?? {});
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

const identifiers = z
  .array(z.string())
  .nullish()
  .transform((ids) => ids ?? []);
const flag = (absent: boolean) =>
  z
    .boolean()
    .nullish()
    .transform((value) => value ?? absent);

export const r2rDocument = z.object({
  id: z.string(),
  collection_ids: identifiers,
  owner_id: text,
  document_type: text,
  metadata,
  title: text,
  ingestion_status: text,
  created_at: text,
});

export const r2rCollection = z.object({
  id: z.string(),
  owner_id: text,
  name: text,
  description: text,
});

export const r2rConversation = z.object({ id: z.string(), owner_id: text, name: text });

export const r2rMessage = z.object({
  id: z.string(),
  message: z.object({ role: z.string(), content: z.unknown() }),
  metadata,
});

/** `hashed_password` is present only in the database, not in the API. */
export const r2rUser = z.object({
  id: z.string(),
  email: text,
  hashed_password: text,
  is_superuser: flag(false),
  is_active: flag(true),
  is_verified: flag(false),
  name: text,
  bio: text,
  profile_picture: text,
  collection_ids: identifiers,
});

export type R2rDocument = z.output<typeof r2rDocument>;

/** A parsed record; throws `provider_failed` with the validation error. */
export function readRecord<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ServiceError(
    'provider_failed',
    `The server returned an invalid ${what}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
  );
}
