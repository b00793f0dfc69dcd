import { describe, expect, it } from 'vitest';
import { statementBefore } from '../../src/citations/statement-before.ts';

describe('statementBefore', () => {
  it.each([
    ['the sentence a marker ends', 'It rains. Paris is big [1].', 'Paris is big'],
    ['the sentence before a marker that follows the full stop', 'It rains. Paris is big. [1] More.', 'Paris is big.'],
    ['the same for neighbouring markers', 'It rains. Paris is big [2][1].', 'Paris is big'],
    [
      'the part since the last marker',
      'It is 330 m tall [2], and it was built in 1889 [1].',
      ', and it was built in 1889',
    ],
    ['the whole sentence when that part is short', 'Paris [2] and Rome [1]', 'Paris   and Rome'],
    ['a list item', 'Cities:\n- Paris is big [1]', '- Paris is big'],
    ['nothing at the start', '[1] Paris', ''],
  ])('is %s', (_name, answer, statement) => {
    expect(statementBefore(answer, answer.indexOf('[1]'))).toBe(statement);
  });
});
