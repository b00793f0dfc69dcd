import { describe, expect, it } from 'vitest';
import { splitText } from '../../src/ingest/split-text.ts';
import { cpuSeconds } from './cpu-seconds.ts';

describe('every split', () => {
  it.each([
    ['words', 'word '.repeat(800_000)],
    ['one endless word', 'x'.repeat(4_000_000)],
    ['text without spaces', '漢字'.repeat(2_000_000)],
    ['blank lines', '\n\n'.repeat(2_000_000)],
  ])('takes time linear in the text: 4 MB of %s', { timeout: 60_000 }, async (_, given) => {
    const document = { text: given, blocks: [], pages: [] };
    const seconds = await cpuSeconds(() => {
      splitText(document);
      splitText(document, { chunkSize: 1_000, chunkOverlap: 100 });
    });
    expect(seconds).toBeLessThan(5);
  });
});
