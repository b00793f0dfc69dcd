import { expect, it } from 'vitest';
import { renderOutput } from '../../src/mcp/render-output.ts';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64');
const file = (name: string, mediaType: string, bytes: Uint8Array | undefined, runId?: string) => ({
  name,
  mediaType,
  size: bytes?.byteLength ?? 7,
  runId,
  ...(bytes && { bytes }),
});
const contentOf = (files: readonly ReturnType<typeof file>[]) =>
  renderOutput({ isError: false, output: { text: 'done', structured: {}, files } }).content;

it('returns pictures that every model accepts as images, and a link to each kept file', () => {
  const files = [
    file('out/a.svg', 'image/svg+xml', Buffer.from('<svg/>'), 'r1'),
    file('out/b c.csv', 'text/csv', Buffer.from('1,2'), 'r1'),
    file('out/dot.png', 'image/png', PNG, 'r1'),
    file('out/huge.png', 'image/png', Buffer.concat([PNG, Buffer.alloc(1_000_000)]), 'r1'),
  ];
  const link = (name: string, uri: string, mimeType: string, size: number) => ({
    type: 'resource_link',
    uri: `citewell://run/r1/${uri}`,
    name,
    mimeType,
    size,
  });
  expect(contentOf(files)).toEqual([
    { type: 'text', text: 'done' },
    { type: 'image', data: PNG.toString('base64'), mimeType: 'image/png' },
    link('out/a.svg', 'out%2Fa.svg', 'image/svg+xml', 6),
    link('out/b c.csv', 'out%2Fb%20c.csv', 'text/csv', 3),
    link('out/dot.png', 'out%2Fdot.png', 'image/png', 16),
    link('out/huge.png', 'out%2Fhuge.png', 'image/png', 1_000_016),
  ]);
});

it('never labels something else as an image, whatever its name says', () => {
  const files = [
    file('out/not.png', 'image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
    file('out/elsewhere.png', 'image/png', undefined),
  ];
  expect(contentOf(files)).toEqual([{ type: 'text', text: 'done' }]);
});

it('shows at most eight pictures', () => {
  const files = Array.from({ length: 12 }, (_, index) => file(`out/${index}.png`, 'image/png', PNG));
  expect(contentOf(files).filter(({ type }) => type === 'image')).toHaveLength(8);
});

it('shows as many pictures as fit into a result that Claude Desktop accepts', () => {
  const picture = (name: string, size: number) =>
    file(name, 'image/png', Buffer.concat([PNG, Buffer.alloc(size)]), 'r1');
  const content = contentOf([picture('a.png', 400_000), picture('b.png', 400_000), picture('c.png', 100_000)]);
  const shown = content.flatMap((block) => (block.type === 'image' ? [block.data.length] : []));
  expect(shown).toEqual([533_356, 133_356]);
  expect(content.filter(({ type }) => type === 'resource_link')).toHaveLength(3);
  expect(JSON.stringify(content).length).toBeLessThan(1_048_576 - 80_000);
});
