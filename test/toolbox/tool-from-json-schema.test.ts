import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../src/toolbox/read-arguments.ts';
import type { JsonSchema } from '../../src/toolbox/tool.ts';
import { toolFromJsonSchema } from '../../src/toolbox/tool-from-json-schema.ts';

const toolOf = (inputSchema: JsonSchema) =>
  toolFromJsonSchema({
    name: 'foreign',
    description: 'A tool from elsewhere.',
    inputSchema,
    execute: async () => ({ text: '', structured: {} }),
  });

describe('a tool from a JSON Schema', () => {
  it.each<[string, JsonSchema, unknown]>([
    ['a default that is not filled in', { properties: { a: { type: 'integer', default: 3 } } }, {}],
    ['members nobody declared', { type: 'object', properties: {} }, { anything: [1, null] }],
    ['names of our own tools', { properties: { id: { type: 'string' } } }, { id: '1', q: 'x', top_k: 2 }],
    ['a string that looks like JSON', { properties: { a: { type: 'string' } } }, { a: '{"b": 1}' }],
    ['types nobody knows', { properties: { a: { type: 'dict' }, b: { type: 'any' } } }, { a: { x: 1 }, b: 2 }],
    [
      'a member that is named like a word of the schema',
      { properties: { default: { type: 'string' }, type: { type: 'string' } } },
      { default: 'x', type: 'y' },
    ],
    ['a choice', { properties: { a: { anyOf: [{ type: 'string' }, { type: 'number' }] } } }, { a: 1.5 }],
    ['references within', { $defs: { s: { type: 'string' } }, properties: { a: { $ref: '#/$defs/s' } } }, { a: 'x' }],
    ['references to elsewhere', { properties: { a: { $ref: 'http://example.com/schema' } } }, { a: 'x' }],
    ['several types', { properties: { a: { type: ['string', 'null'] } } }, { a: null }],
    ['no schema to speak of', {}, { a: 1 }],
  ])('takes arguments as they are: %s', (_, schema, given) => {
    const tool = toolOf(schema);
    const reading = tool.check(readArguments(structuredClone(given), tool.inputSchema, tool.aliases));
    expect(reading).toEqual({ ok: true, input: given });
    expect(tool.inputSchema).toMatchObject({ type: 'object', properties: expect.any(Object) });
  });

  it.each<[string, JsonSchema, unknown, string]>([
    ['a missing member', { properties: { a: { type: 'string' } }, required: ['a'] }, {}, 'a'],
    [
      'a missing member with a default',
      { properties: { a: { type: 'string', default: '' } }, required: ['a'] },
      {},
      'a',
    ],
    ['a missing member without more', { properties: {}, required: ['a'] }, { b: 1 }, 'a'],
    ['a wrong type', { properties: { a: { type: 'integer' } } }, { a: 'one' }, 'a'],
    [
      'a wrong type deep within',
      { properties: { a: { type: 'array', items: { type: 'number' } } } },
      { a: [1, 'x'] },
      'a.1',
    ],
    ['a value that is no choice', { properties: { a: { type: 'string', enum: ['x'] } } }, { a: 'y' }, 'a'],
    ['what is no object', { properties: {} }, [1], ''],
  ])('refuses %s and says where', (_, schema, given, place) => {
    const reading = toolOf(schema).check(given);
    expect(reading.ok).toBe(false);
    if (!reading.ok) expect(reading.issues.map(({ loc }) => loc.join('.'))).toContain(place);
  });

  it('assumes the most dangerous hints when none are given', () => {
    expect(toolOf({}).annotations).toEqual({ readOnly: false, destructive: true, idempotent: false, openWorld: true });
  });
});

describe('reading arguments', () => {
  const schema: JsonSchema = {
    properties: { n: { type: 'integer' }, s: { type: 'string' }, list: { type: 'array' }, on: { type: 'boolean' } },
  };

  it('parses text where another type is expected', () => {
    const given = { n: '3', list: '[1]', on: 'true', s: '3' };
    expect(readArguments(given, schema)).toEqual({ n: 3, list: [1], on: true, s: '3' });
    expect(readArguments('{"n": 1}', schema)).toEqual({ n: 1 });
    for (const nothing of ['', ' ', null, undefined]) expect(readArguments(nothing, schema)).toEqual({});
  });

  it('leaves unparsable values to the schema', () => {
    expect(readArguments({ n: 'three', list: '{}' }, schema)).toEqual({ n: 'three', list: '{}' });
    expect(readArguments('{"n": ', schema)).toBe('{"n": ');
  });

  it('renames only unknown arguments, to unused names', () => {
    const aliases = new Map([['q', 's']]);
    expect(readArguments({ q: 'x' }, schema, aliases)).toEqual({ s: 'x' });
    expect(readArguments({ q: 'x', s: 'y' }, schema, aliases)).toEqual({ q: 'x', s: 'y' });
    expect(readArguments({ q: 'x' }, schema)).toEqual({ q: 'x' });
  });

  it('never changes a valid value', () => {
    fc.assert(
      fc.property(
        fc.record({ n: fc.integer(), s: fc.string(), list: fc.array(fc.jsonValue()), on: fc.boolean() }),
        (given) => {
          expect(readArguments(given, schema)).toEqual(given);
        },
      ),
    );
  });
});
