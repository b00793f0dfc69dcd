import { describe, expect, it } from 'vitest';
import { makeZip, wordParagraph, wordParts } from '../../make-docx.ts';
import { readFile } from '../support.ts';

describe('a Word document', () => {
  it.each([
    ['that says how much it unpacks to', undefined],
    ['that lies about it', 1_000],
  ])('is refused when it is an archive bomb %s', async (_, declaredSize) => {
    const bomb = makeZip([
      ...wordParts(wordParagraph('Text')),
      {
        name: 'word/bomb.xml',
        content: Buffer.alloc(120_000_000, 'a'),
        ...(declaredSize === undefined ? {} : { declaredSize }),
      },
    ]);
    expect(bomb.length).toBeLessThan(1_000_000);
    await expect(readFile('a.docx', bomb)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('100000000'),
    });
  });
});
