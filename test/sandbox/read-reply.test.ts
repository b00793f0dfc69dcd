import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSandboxLimits } from '../../src/sandbox/default-limits.ts';
import { isSafeName, readReply } from '../../src/sandbox/read-reply.ts';

const limits = { ...defaultSandboxLimits, outputCharacters: 10, outputFiles: 2, outputBytes: 4 };
const read = (reply: unknown) => readReply(JSON.stringify(reply), limits);

describe('the reply of a slot', () => {
  it.each([[''], ['{'], ['null'], ['[]'], ['"text"'], ['{"stdout": 5}'], ['{"files": {}}'], ['{"value": 1}']])(
    'is rejected when it is %s',
    (text) => {
      expect(readReply(text, limits)).toBeUndefined();
    },
  );

  it('is truncated to the limits, whatever the slot sends', () => {
    const reply = read({
      stdout: 'x'.repeat(50),
      value: { repr: 'y'.repeat(50), type: 'str', characters: 50, json: null },
      error: { type: 'E'.repeat(300), message: 'm'.repeat(3_000), line: -5, traceback: 't'.repeat(9_000) },
    });
    expect(reply?.stdout.text).toHaveLength(10);
    expect(reply?.value).toMatchObject({ repr: 'y'.repeat(10), isTruncated: true });
    expect([reply?.error?.type.length, reply?.error?.message.length, reply?.error?.line]).toEqual([
      200,
      2_000,
      undefined,
    ]);
  });

  it('has no line breaks in names of types', () => {
    const type = 'A\nFile: out/x\u2028';
    const reply = read({
      value: { repr: '', type, characters: 0, json: null },
      error: { type, message: '', line: null, traceback: '' },
    });
    expect([reply?.value?.type, reply?.error?.type]).toEqual(['A_File: out/x_', 'A_File: out/x_']);
  });

  it('tells which files to keep, within their limit', () => {
    const changes = { changed: [{ name: 'a', base64: 'eA==' }], removed: ['b'], too_large: ['c'] };
    const kept = [{ name: 'a', bytes: new Uint8Array([120]) }];
    expect(read({ changes })?.changes).toEqual({ changed: kept, removed: ['b'], tooLarge: ['c'] });
    expect(readReply(JSON.stringify({ changes }), { ...limits, keptBytes: 0 })).toBeUndefined();
  });

  it('is refused with more or larger files than requested', () => {
    expect(read({ files: [1, 2, 3].map((n) => ({ name: `${n}`, base64: 'eA==' })) })).toBeUndefined();
    expect(read({ files: [{ name: 'a', base64: 'eHh4eHh4eHg=' }] })).toBeUndefined();
    expect(read({ files: [{ name: 'a', base64: '<>' }] })).toBeUndefined();
  });

  it.each([
    ['../a', '_/a'],
    ['/etc/passwd', '_/etc/passwd'],
    ['Q3: results.csv', 'Q3_ results.csv'],
    ['a\n(skipped)', 'a_(skipped)'],
    ['a//b/', 'a/_/b/_'],
    ['..', '_'],
    ['', '_'],
  ])('gives the file %j the safe name %j', (name, safe) => {
    expect(read({ files: [{ name, base64: 'eA==' }] })?.files).toEqual([{ name: safe, bytes: new Uint8Array([120]) }]);
    expect(read({ skipped: [{ name, bytes: 1, reason: 'too large' }] })?.skippedFiles).toEqual([
      { name: safe, bytes: 1, reason: 'too large' },
    ]);
  });

  it('keeps files apart whose safe names are the same', () => {
    const files = ['d/a?.csv', 'd/a*.csv'].map((name) => ({ name, base64: 'eA==' }));
    expect(read({ files })?.files.map(({ name }) => name)).toEqual(['d/a_.csv', 'd/a_ (2).csv']);
  });

  it('has safe names only, whatever the slot sends', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const reply = read({
          files: [
            { name, base64: '' },
            { name, base64: '' },
          ],
        });
        const names = reply?.files.map((file) => file.name) ?? [];
        expect(names.filter(isSafeName)).toHaveLength(2);
        expect(new Set(names).size).toBe(2);
      }),
    );
  });

  it('never throws and ignores unknown fields', () => {
    const reply = read({ stdout: 'x', sessionLost: true });
    expect(reply?.stdout.text).toBe('x');
    expect(reply).not.toHaveProperty('sessionLost');
    fc.assert(
      fc.property(fc.json(), (text) => {
        const reply = readReply(text, limits);
        if (reply !== undefined) expect(Object.keys(reply)).not.toContain('sessionLost');
      }),
    );
  });
});

it.each([
  ['a.csv', true],
  ['a/b/c.txt', true],
  ['Übersicht 2024.svg', true],
  ['', false],
  ['..', false],
  ['a/../b', false],
  ['/a', false],
  ['a//b', false],
  ['a\\b', false],
  ['C:a', false],
  ['a\u202eb', false],
  ['a\nb', false],
  ['x'.repeat(301), false],
])('the name %j is safe: %s', (name, expected) => {
  expect(isSafeName(name)).toBe(expected);
});
