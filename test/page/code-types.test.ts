import { expect, it } from 'vitest';
import { readableTypes } from '../../src/ingest/readers/file-types.ts';
import { CODE_TYPES, isCode } from '../../src/page/app/views/source/code-types.ts';

it('the page knows the types that are read as source code', () => {
  const read = readableTypes.filter((each) => each.isCode).map(({ type }) => type);
  expect([...CODE_TYPES].sort()).toEqual(read.sort());
  expect(isCode('py')).toBe(true);
  expect(isCode('pdf')).toBe(false);
});
