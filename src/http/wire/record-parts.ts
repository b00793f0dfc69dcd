import { z } from 'zod';

// Schemas shared by many records. Response schemas document the responses; only tests validate against them.

export const id = z.guid();
export const ids = z.array(id);
export const timestamp = z.iso.datetime().describe('ISO-8601, UTC.');
export const metadata = z.record(z.string(), z.json());
export const vector = z.array(z.number()).nullable().describe('Null unless requested.');

/** docs/contract.md 1. */
export const results = <Schema extends z.ZodType>(schema: Schema) => z.object({ results: schema });

export const listOf = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({ results: z.array(schema), total_entries: z.int().min(0).describe('Total number before paging.') });

export const message = results(z.object({ message: z.string() }).meta({ id: 'MessageResult' }));

export const success = results(z.object({ success: z.boolean() }).meta({ id: 'SuccessResult' }));

/** docs/contract.md 1.2. */
export const failure = z
  .object({
    message: z.string().describe('For people: what happened, where, and what to do.'),
    error_type: z.literal('R2RException'),
    code: z.string().describe('For programs, e.g. not_found.'),
    unread: z
      .enum(['picture', 'undecodable', 'recording'])
      .exactOptional()
      .describe('For programs: why a file is not read.'),
    failed_check: z
      .string()
      .exactOptional()
      .describe('Set if the request would be carried out with `"check": false`: the message without this advice.'),
    error_code: z.literal('TOKEN_EXPIRED').exactOptional(),
    detail: z
      .union([
        z.string(),
        z.array(
          z.object({
            type: z.string(),
            loc: z.array(z.union([z.string(), z.number()])),
            msg: z.string(),
            input: z.json().exactOptional(),
          }),
        ),
      ])
      .exactOptional()
      .describe('With status 422 one entry for each member that does not fit.'),
  })
  .meta({ id: 'Failure' });
