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

/** How messages describe what `readTime` reads. */
export const TIME_EXAMPLES = 'a time such as "2026-03-01T12:00:00Z" or a date such as "2026-03-01"';

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * Parses a time as databases and programs write it (`2026-03-01 12:00:00+01`, microseconds, no zone for UTC) into the
 * format of stored records. Undefined if the text is not a time.
 */
export function readTime(text: string): string | undefined {
  const [, day, clock = '00:00', zone = 'Z'] = TIME.exec(text.trim()) ?? [];
  if (day === undefined || !z.iso.date().safeParse(day).success) return;
  const offset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase();
  const time = new Date(`${day}T${clock}${offset}`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
