import { z } from 'zod';

const isTime = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/**
 * Parses a point in time into the format of stored records: ISO-8601 in UTC, which sorts chronologically. A date alone
 * means its start in UTC.
 */
export const timestamp = z
  .string()
  .refine((text) => isTime.safeParse(text).success, {
    error: 'expected a time such as 2026-03-01T12:00:00Z, or a date such as 2026-03-01',
    abort: true,
  })
  .transform((text) => new Date(text).toISOString());
