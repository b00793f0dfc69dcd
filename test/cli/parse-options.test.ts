import { describe, expect, it } from 'vitest';
import { parseFilter, parseLimit, parseMetadata, parseOffset, parsePort } from '../../src/cli/parse-options.ts';

describe('metadata given on the command line', () => {
  it.each([
    ['year=2024', { year: 2024 }],
    ['ratio=0.50', { ratio: 0.5 }],
    ['draft=true', { draft: true }],
    ['owner=null', { owner: null }],
    ['tags=["a","b"]', { tags: ['a', 'b'] }],
    ['code="007"', { code: '007' }],
    ['code=007', { code: '007' }],
    ['id=9007199254740993', { id: '9007199254740993' }],
    ['huge=1e999', { huge: '1e999' }],
    ['title=A = B', { title: 'A = B' }],
    ['empty=', { empty: '' }],
  ])('%s keeps its type', (argument, expected) => {
    expect(parseMetadata(argument)).toEqual(expected);
  });

  it('accumulates over repeated options, and the last value of a name wins', () => {
    expect(parseMetadata('a=2', { a: 1, b: 1 })).toEqual({ a: 2, b: 1 });
  });

  it.each(['novalue', '=x', ' =x'])('refuses %s', (argument) => {
    expect(() => parseMetadata(argument)).toThrow(/key=value/);
  });
});

describe('numbers and filters given on the command line', () => {
  it.each([
    [parseLimit, '1', 1],
    [parseLimit, '1000', 1000],
    [parseOffset, '0', 0],
    [parsePort, '65535', 65_535],
  ])('%o accepts %s', (parse, text, expected) => {
    expect(parse(text)).toBe(expected);
  });

  it.each([
    [parseLimit, '0'],
    [parseLimit, '1001'],
    [parseLimit, '1.5'],
    [parseLimit, 'ten'],
    [parseOffset, '-1'],
    [parseOffset, ''],
    [parsePort, '65536'],
    [parsePort, ''],
  ])('%o refuses "%s"', (parse, text) => {
    expect(() => parse(text)).toThrow(/Expected/);
  });

  it('accepts a filter only as a JSON object', () => {
    expect(parseFilter('{"title": {"$eq": "x"}}')).toEqual({ title: { $eq: 'x' } });
    for (const text of ['', '{', '[]', 'null', '"x"']) expect(() => parseFilter(text)).toThrow(/Expected/);
  });
});
