import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readInput } from '../../src/cli/read-input.ts';

const limits = {
  stop: new AbortController().signal,
  maxBytes: 8,
  tooLong: () => new Error('too long'),
};

it('reads everything to the end of the input', async () => {
  const input = new PassThrough();
  const bytes = readInput(input, limits);
  input.write('Pier');
  input.end('5 ö');
  expect(new TextDecoder().decode(await bytes)).toBe('Pier5 ö');
});

it('stops waiting for input when the command is interrupted', async () => {
  const interruption = new AbortController();
  const input = new PassThrough();
  const bytes = readInput(input, { ...limits, stop: interruption.signal });
  input.write('Pier');
  interruption.abort();
  await expect(bytes).rejects.toMatchObject({ code: 'cancelled' });
  expect(input.isPaused()).toBe(true);
});

it('refuses endless input at the limit', async () => {
  const input = new PassThrough();
  const bytes = readInput(input, limits);
  input.write('12345678');
  input.write('9');
  await expect(bytes).rejects.toThrow('too long');
});
