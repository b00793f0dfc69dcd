import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { explainIssue } from '../../src/shared/explain-issue.ts';

const message = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: explainIssue }).error?.issues.map((issue) => issue.message);

describe('messages about values that do not fit a schema', () => {
  it('say what is expected and what was given', () => {
    expect(message(z.object({ query: z.string() }), {})).toEqual(['it is missing; expected a string']);
    expect(message(z.string(), 5)).toEqual(['expected a string, received a number']);
    expect(message(z.array(z.string()), null)).toEqual(['expected a list, received null']);
    expect(message(z.boolean(), [])).toEqual(['expected true or false, received a list']);
    expect(message(z.int(), 1.5)).toEqual(['expected a whole number, received 1.5']);
    expect(message(z.number(), 'ten')).toEqual(['expected a number, received "ten"']);
    expect(message(z.number(), 'x'.repeat(100))).toEqual([`expected a number, received "${'x'.repeat(40)}…"`]);
    expect(message(z.number(), [5])).toEqual(['expected a number, received a list']);
    expect(message(z.enum(['a', 'b', 'c']), 'd')).toEqual(['expected "a", "b" or "c"']);
    expect(message(z.strictObject({}), { one: 1, two: 2 })).toEqual(['"one" and "two" are not known here']);
    expect(message(z.uuid(), 'x')).toEqual(['expected a UUID']);
  });

  it('name unknown members, those that were probably meant, and the known ones', () => {
    const site = z.strictObject({ url: z.string(), max_pages: z.int().optional() });
    expect(message(site, { url: 'x', maxPages: 5, every: 60 })).toEqual([
      '"maxPages" (did you mean "max_pages"?) and "every" are not known here; known are url, max_pages',
    ]);
    expect(message(z.array(z.strictObject({ text: z.string() })), [{ text: 'x', Text: 'y' }])).toEqual([
      '"Text" (did you mean "text"?) is not known here; known are text',
    ]);
  });

  it('name the limits of numbers and lengths', () => {
    expect(message(z.array(z.string()).min(1), [])).toEqual(['expected at least 1 item']);
    expect(message(z.string().max(30), 'x'.repeat(31))).toEqual(['expected at most 30 characters']);
    expect(message(z.string().length(2), 'x')).toEqual(['expected exactly 2 characters']);
    expect(message(z.number().min(5), -4)).toEqual(['expected a number of at least 5, received -4']);
    expect(message(z.number().lt(1), 1)).toEqual(['expected a number less than 1, received 1']);
  });

  it('name the alternatives, or explain the one that was meant', () => {
    const input = z.union([z.string(), z.array(z.object({ text: z.string().min(1) }))]);
    expect(message(input, 5)).toEqual(['expected a string or a list, received a number']);
    expect(message(input, [{ text: 5 }])).toEqual(['0.text: expected a string, received a number']);
    const byKind = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('folder') }),
      z.object({ kind: z.literal('site') }),
    ]);
    expect(message(byKind, { kind: 'ftp' })).toEqual(['expected "folder" or "site"']);
  });

  it('give way to the messages of the schema', () => {
    expect(message(z.string({ error: 'expected a name' }), 5)).toEqual(['expected a name']);
    expect(message(z.string().min(3, 'expected a longer name'), 'ab')).toEqual(['expected a longer name']);
  });
});
