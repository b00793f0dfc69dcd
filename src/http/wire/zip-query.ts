import { z } from 'zod';
import { everything, type Filter } from '../../documents/filter.ts';
import { idList } from './query.ts';
import { optional } from './tolerant.ts';

const timestamp = (isEnd: boolean) =>
  optional(
    z
      .string()
      .trim()
      .transform((text, context) => {
        const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
        const date = new Date(isDay && isEnd ? `${text}T23:59:59.999Z` : text);
        if (/^\d{4}-/.test(text) && !Number.isNaN(date.getTime())) return date.toISOString();
        context.addIssue({
          code: 'custom',
          message: 'This must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z.',
        });
        return z.NEVER;
      }),
  );

/** Documents by id and creation time, both bounds inclusive; an end without a time includes the whole day. */
export const zipQuery = z
  .object({
    document_ids: idList().describe('Only these.'),
    start_date: timestamp(false).describe('Only documents created at this time or later.'),
    end_date: timestamp(true).describe('Only documents created at this time or before; a date includes the whole day.'),
  })
  .transform(({ document_ids: ids, start_date, end_date }) => ({
    ids,
    from: created('gte', start_date),
    until: created('lte', end_date),
  }));

const created = (op: 'gte' | 'lte', value: string | undefined): Filter =>
  value === undefined ? everything : { kind: 'compare', field: 'created_at', op, value };
