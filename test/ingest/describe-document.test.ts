import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/documents/estimate-tokens.ts';
import { describeDocument } from '../../src/ingest/describe-document.ts';
import { embeddingText } from '../../src/ingest/embedding-text.ts';
import { markdownBlocks } from '../../src/ingest/readers/markdown/markdown.ts';

const summaryOf = (text: string, title?: string) =>
  describeDocument({ text, blocks: markdownBlocks(text), ...(title === undefined ? {} : { title }) });

describe('the summary of a document', () => {
  it('quotes its first sentence and names its sections', () => {
    const text =
      '# Ferry\n\nThe ferry sails between the harbour and three small islands. It is blue.\n\n## Fares\n\nFares are paid on board.\n\n## Dogs\n\nDogs travel free.';
    expect(summaryOf(text, 'The ferry book')).toMatch(
      /^The ferry book: The ferry sails between the harbour and three small islands\. .*Sections: Ferry; Fares; Dogs\.$/,
    );
  });

  it('has a bounded length for any text', () => {
    for (const text of [
      'x'.repeat(100_000),
      '# Head\n\n'.repeat(5_000),
      `${'A sentence of many words. '.repeat(9_000)}`,
    ]) {
      expect(summaryOf(text)?.length ?? 0).toBeLessThanOrEqual(700);
    }
    expect(summaryOf(`The ferry sails at nine${' and then again'.repeat(9_000)}.`)).toMatch(
      /^.*The ferry sails at nine/,
    );
  });

  it('omits numbered generic headings, and is not held up by headings of digits', () => {
    const headings = ['1. Ferry', `${'0123456789'.repeat(3)} A`, 'IV. References', '2.1) See also'];
    const text = headings.map((heading) => `# ${heading}\n\nThe ferry sails between three small islands.`).join('\n\n');
    // With nested repetition, this heading alone would take half a minute.
    expect(summaryOf(text)).toMatch(/Sections: 1\. Ferry; 0123456789/);
    expect(summaryOf(text)).not.toMatch(/References|See also/);
  });

  it('contains no boilerplate and no Markdown syntax', () => {
    const text = [
      '# Report',
      'Copyright 2024 Harbour Company. All rights reserved by the owners of the harbour.',
      'The **harbour** of [Bergen](https://example.org/bergen) was dredged to twelve metres in spring.[3]',
      'We use cookies so that the pages of this harbour can be read by everybody who comes.',
      'Dredging the harbour took four months and moved eighty thousand tonnes of sediment.',
      '## References',
      '## Costs of dredging',
      '## Harbour traffic',
    ].join('\n\n');
    expect(summaryOf(text)).toBe(
      'The harbour of Bergen was dredged to twelve metres in spring. ' +
        'Dredging the harbour took four months and moved eighty thousand tonnes of sediment. ' +
        'Sections: Report; Costs of dredging; Harbour traffic.',
    );
    // Boilerplate is used when there is nothing else.
    expect(summaryOf('All rights reserved by the owners of the harbour and of its many boats.')).toContain('harbour');
  });

  it('adds only sentences with new content', () => {
    const same = Array.from(
      { length: 9 },
      (_, number) => `The ferry carries passengers between harbours, run ${number}.`,
    );
    const summary = summaryOf([...same, 'Bicycles travel without charge on weekdays before midday.'].join(' '));
    expect(summary).toContain('Bicycles');
    expect(summary?.match(/ferry/g)).toHaveLength(1);
  });

  it('is empty when there is no text', () => {
    expect(summaryOf('1 2 3')).toBeNull();
  });
});

describe('the embedded text of a chunk', () => {
  it.each([
    [
      'names title and headings',
      { title: 'Book.md', headingPath: ['Trip', 'Fares'], text: 'Ten kroner.' },
      'Book > Trip > Fares\nTen kroner.',
    ],
    [
      'repeats no heading the chunk begins with',
      { title: 'Book.md', headingPath: ['Fares'], text: '## Fares\n\nTen.' },
      'Book\n## Fares\n\nTen.',
    ],
    ['names the columns of a table', { title: 'N/A', headingPath: ['a | b'], text: '| 1 | 2 |' }, 'a | b\n| 1 | 2 |'],
  ])('%s', (_, chunk, expected) => {
    expect(embeddingText(chunk)).toBe(expected);
  });
});

describe('the token estimate', () => {
  it.each([
    ['Latin text', 'a'.repeat(400), 100],
    ['Cyrillic text', 'б'.repeat(250), 100],
    ['Chinese text', '海'.repeat(100), 100],
    ['nothing', '', 0],
  ])('counts %s', (_, text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});
