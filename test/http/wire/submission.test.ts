import { expect, it } from 'vitest';
import { defaultAdmin } from '../../../src/access/principal.ts';
import { readSubmission } from '../../../src/http/wire/submission.ts';

it('refuses more chunks than the limit as a bad request', () => {
  const read = (length: number) =>
    readSubmission({ fields: { chunks: Array.from({ length }, () => 'chunk') }, file: undefined }, defaultAdmin);
  expect(read(102_400).submission.content).toMatchObject({ kind: 'chunks' });
  expect(() => read(102_401)).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('at most 102400') }),
  );
});
