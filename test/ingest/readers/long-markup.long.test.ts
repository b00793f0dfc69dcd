import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownBlocks } from '../../../src/ingest/readers/markdown/markdown.ts';
import { markdownPieces } from '../../../src/ingest/readers/markdown/markdown-pieces.ts';
import { cpuSeconds } from '../cpu-seconds.ts';
import { readFile } from './support.ts';

describe('a long Markdown text', () => {
  const block = fc.constantFrom(
    '# Title',
    'Some words\nof prose.',
    '- one\n\n  goes on\n- two',
    '1. one\n\n2. two',
    '```js\nlet a;\n\nFunction\n```',
    '~~~~\n```\n\nText\n~~~~',
    '<!-- a\n\nText -->',
    '<pre>\n\nText\n\n</pre>',
    '| a | b |\n| - | - |\n| 1 | 2 |',
    '> said\n\n> more',
    '    code\n\n    more',
    'Title\n=====',
    '* * *',
    '- a\n  ```\n  x\n\n  y\n  ```',
  );

  it('has the same blocks whether it is read in pieces or as a whole', () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 12 }), (blocks) => {
        // Long enough that every permitted cut is made.
        const text = blocks.map((one) => `${one}\n\n${'word '.repeat(900)}`).join('\n\n');
        const pieces = markdownPieces(text);
        expect(pieces.length).toBeGreaterThan(blocks.length / 2);
        const alone = blocks.flatMap((one) =>
          markdownBlocks(`${one}\n\nword`)
            .slice(0, -1)
            .map(({ kind }) => kind),
        );
        const found = markdownBlocks(text).filter(({ start }) => !text.startsWith('word word', start));
        expect(found.map(({ kind }) => kind)).toEqual(alone);
      }),
      { numRuns: 40 },
    );
  });

  it('of thousands of tables is read quickly', async () => {
    const text = 'Words.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n'.repeat(20_000);
    expect(await cpuSeconds(() => readFile('a.md', text))).toBeLessThan(15);
  });

  it.each([
    ['list', Array.from({ length: 40_000 }, (_, at) => `${'  '.repeat(at % 3)}- Pier ${at} is open on weekdays.`)],
    ['list', Array.from({ length: 20_000 }, (_, at) => `${at + 1}. Pier ${at}\n\n   It is open on weekdays.\n`)],
    ['table', ['| pier | open |', '|---|:-:|', ...Array.from({ length: 40_000 }, (_, at) => `| ${at} | weekdays |`)]],
  ])('with a long %s is read quickly, with the headings around it (%#)', async (kind, lines) => {
    const text = `# Piers\n\nAll of them:\n\n${lines.join('\n')}\n\n## After\n\nWords.\n`;
    let read: Awaited<ReturnType<typeof readFile>> | undefined;
    const seconds = await cpuSeconds(async () => {
      read = await readFile('a.md', text);
    });
    expect(read?.title).toBe('Piers');
    expect(read?.blocks.map((block) => block.kind)).toEqual(['heading', 'paragraph', kind, 'heading', 'paragraph']);
    expect(seconds).toBeLessThan(4);
  });
});

describe('a long pathological text', () => {
  it.each([
    ['a.rst', '`a <b '.repeat(200_000)],
    ['a.rst', '.. a::\n'.repeat(200_000)],
    ['a.rst', '=\n'.repeat(500_000)],
    ['a.rst', 'a_ '.repeat(400_000)],
    ['a.org', '[[a]['.repeat(300_000)],
    ['a.org', '| a '.repeat(300_000)],
    ['a.org', '=a '.repeat(500_000)],
    ['a.ts', '"\\"'.repeat(400_000)],
    ['a.cpp', 'a b c d e f g h (\n'.repeat(100_000)],
    ['a.py', '"""a'.repeat(300_000)],
    ['a.rs', 'impl<'.repeat(300_000)],
    ['a.ics', `BEGIN:VCALENDAR\n${'BEGIN:VEVENT\n;"'.repeat(100_000)}`],
    ['a.eml', `Subject: ${'=?utf-8?q?a?= '.repeat(100_000)}\n\nx`],
    ['a.eml', `Content-Type: text/plain; ${'a="b'.repeat(200_000)}\n\nx`],
    ['a.eml', `Content-Transfer-Encoding: quoted-printable\n\n${' '.repeat(1_500_000)}x`],
  ])('in %s is read quickly (%#)', async (name, text) => {
    expect(await cpuSeconds(() => readFile(name, text).catch(() => undefined))).toBeLessThan(4);
  });
});
