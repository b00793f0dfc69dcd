import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { rememberWords } from '../../../src/embeddings/static/word-pieces.ts';

it('remembers words without the texts that they were cut out of', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  let encoded = 0;
  const encode = rememberWords((word) => {
    encoded++;
    return [word.length];
  });
  const before = used();
  for (const letter of 'abcdefgh') {
    const text = `${letter.repeat(20)}é ${' '.repeat(1_000_000)}`;
    for (const word of [...text.split(/\s+/u), ...text.split(/\s+/u)]) expect(encode(word)).toEqual([word.length]);
  }
  expect(used() - before).toBeLessThan(4_000_000);
  expect(encoded).toBe(9);
});
