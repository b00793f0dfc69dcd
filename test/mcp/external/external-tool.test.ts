import fc from 'fast-check';
import { expect, it } from 'vitest';
import { externalTool, publicName } from '../../../src/mcp/external-tool.ts';
import type { JsonSchema } from '../../../src/toolbox/tool.ts';

const toolWith = (inputSchema: JsonSchema, words: object = {}) =>
  externalTool({
    server: 'wiki',
    wire: { name: 'search', inputSchema: { type: 'object', ...inputSchema }, ...words },
    deadline: 1_000,
    call: async () => ({ content: [] }),
  });

it('names are valid for every model provider, and unique', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 200 }),
      fc.string({ minLength: 1, maxLength: 200 }),
      (one, other) => {
        expect(publicName('wiki', one)).toMatch(/^wiki__[A-Za-z0-9_-]{1,58}$/);
        if (one !== other) expect(publicName('wiki', one)).not.toBe(publicName('wiki', other));
      },
    ),
  );
});

it.each<[string, JsonSchema]>([
  ['refers to itself without end', { allOf: [{ $ref: '#' }] }],
  ['refers to an address', { properties: { query: { $ref: 'http://127.0.0.1:1/schema.json' } } }],
  ['refers to what is not there', { properties: { query: { $ref: '#/$defs/none' } } }],
  ['has types that there are not', { properties: { query: { type: 'text' } } }],
  ['is not even one', { properties: 'none', required: 7, type: 'array' }],
])('a schema that %s is no hindrance', (_, schema) => {
  const tool = toolWith(schema);
  expect(JSON.stringify(tool.inputSchema)).not.toContain('http:');
  expect(tool.check({ query: 'x' })).toEqual({ ok: true, input: { query: 'x' } });
});

it('a schema that is too large loses its descriptions, or is refused if still too large', () => {
  const properties = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `p${index}`,
        { type: 'string', description: 'word '.repeat(1_000) },
      ]),
    );
  expect(JSON.stringify(toolWith({ properties: properties(100) }).inputSchema).length).toBeLessThan(16_000);
  expect(() => toolWith({ properties: properties(5_000) })).toThrow(RangeError);
});

it('a too deeply nested schema is truncated', () => {
  let schema: JsonSchema = { type: 'string' };
  for (let depth = 0; depth < 2_000; depth++) schema = { type: 'object', properties: { a: schema } };
  expect(JSON.stringify(toolWith(schema).inputSchema).length).toBeLessThan(1_000);
});

it.each([
  ['nothing', undefined, { readOnly: false, destructive: false }],
  ['that it only reads', { readOnlyHint: true }, { readOnly: true, destructive: false }],
  ['that it changes things', { readOnlyHint: false, destructiveHint: false }, { readOnly: false, destructive: true }],
  ['that it destroys', { destructiveHint: true }, { readOnly: false, destructive: true }],
  ['both', { readOnlyHint: true, destructiveHint: true }, { readOnly: false, destructive: true }],
])('a tool that declares %s is treated as open-world, and as destructive if it declares so', (_, hints, kind) => {
  expect(toolWith({}, hints === undefined ? {} : { annotations: hints }).annotations).toMatchObject({
    ...kind,
    openWorld: true,
  });
});
