import type { Random } from '../seeded-random.ts';

type Some<T> = readonly [T, ...T[]];

/** Strings known to break parsers, databases and file systems. */
const strings: Some<string> = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u{feff}',
  '\ud800',
  'x\udfff y',
  '👩‍👩‍👧‍👦',
  'e\u0301\u0302\u0303',
  '\u202egnitset\u202c',
  'ﬁ ﬂ ſ İ ı ß',
  '日本語の文章',
  'مرحبا بالعالم',
  'ก็',
  '\r\n\r\nX-Injected: yes',
  '../../../../etc/passwd',
  '..\\..\\windows',
  "'; drop table documents; --",
  "' or '1'='1",
  '1); select 1; --',
  '%',
  '_',
  '%%%_\\',
  '"',
  '""',
  '"unclosed',
  '*',
  'a*',
  '^a',
  'NEAR(',
  'NEAR(a b, 5)',
  'a AND',
  'NOT',
  'OR OR OR',
  '-',
  '-a',
  '- -- ---',
  'text:',
  'text : a',
  '{text}: a',
  '+a +b',
  '(a OR (b',
  ')',
  '[]',
  '{}',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-1',
  '1e309',
  '9'.repeat(400),
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '{{7*7}}<%= 7*7 %>',
  '{query}',
  '<script>alert(1)</script>',
  '[1] [2] [99999999999999999999]',
  '\\u0000',
  'cit.1',
  'file:///etc/hosts',
  'http://127.0.0.1:1/',
  'a'.repeat(300),
  'word '.repeat(2_000),
  '💥'.repeat(5_000),
  'z'.repeat(100_000),
];

const numbers: Some<number> = [
  0,
  -0,
  1,
  -1,
  2,
  0.5,
  1e-320,
  1e308,
  -1e308,
  1000,
  1001,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  2 ** 64,
];

export const models: Some<string> = [
  'builtin/extractive',
  'openai/gpt-4.1',
  'anthropic/claude',
  'builtin/',
  '/',
  'nowhere/nothing',
  'builtin/lexical-hash-v1',
  'builtin/lsa-v1',
  'builtin/noun-phrases-v1',
  'citewell',
  'citewell/research',
  'citewell/rag:openai/x',
];

export const queries: Some<string> = [
  'harbour lights of the northern coast',
  '"harbour lights"',
  'harbour -lights',
  '-harbour',
  '"',
  '" "',
  '""""',
  'harbour "northern',
  'a OR b',
  'NEAR(harbour coast, 3)',
  'text:harbour',
  '*',
  'harb*',
  '(harbour',
  '^harbour',
  '{text} : harbour',
  '-"harbour lights" -',
  '\0',
  '\ud800 harbour',
  '?',
  '—',
  'der Hafen und die Lichter',
  '港の灯り',
];

export const timestamps: Some<string> = [
  '2020-01-01',
  '2020-01-01T00:00:00Z',
  '2020-13-45',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:01Z',
  '9999-12-31T23:59:59.999999999Z',
  '0000-00-00',
  'now',
  '1e9',
  '2020-01-01T00:00:00+99:99',
];

export const invalidString = (random: Random): string =>
  random.chance(0.15) ? anyLetters(random) : random.pick(strings);

export const oddNumber = (random: Random): number =>
  random.chance(0.3) ? random.integer(-5, 2_000) : random.pick(numbers);

/** A string of any characters, including lone surrogates and control characters. */
function anyLetters(random: Random): string {
  const length = random.integer(1, 40);
  return Array.from({ length }, () => String.fromCharCode(random.integer(0, random.pick([127, 0x2ff, 0xffff])))).join(
    '',
  );
}

/** Any JSON value. */
export function oddValue(random: Random, depth = 0): unknown {
  switch (random.integer(0, depth > 4 ? 4 : 8)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return oddNumber(random);
    case 3:
    case 4:
      return invalidString(random);
    case 5:
      return Array.from({ length: random.pick([0, 1, 2, 5, 300]) }, () =>
        random.chance(0.9) ? 'x' : oddValue(random, depth + 3),
      );
    case 6:
      return nested(random.pick([5, 63, 64, 65, 500]), random.chance(0.5));
    default:
      return Object.fromEntries(
        Array.from({ length: random.integer(0, 4) }, () => [oddKey(random), oddValue(random, depth + 1)]),
      );
  }
}

const keys: Some<string> = [
  '__proto__',
  'constructor',
  'prototype',
  '',
  'id',
  '$eq',
  '$and',
  'a.b',
  'a[0]',
  "a'b",
  'a"b',
  '\0',
  'length',
  'toJSON',
  'then',
];

const oddKey = (random: Random): string => random.pick(keys);

function nested(depth: number, isList: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = isList ? [value] : { a: value };
  return value;
}
