import { expect, it } from 'vitest';
import { renderOutput } from '../../src/mcp/render-output.ts';

const file = (name: string, mediaType: string, content: string | number) => ({
  ...{ name, mediaType },
  bytes: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
});

it('returns images of a tool as image content, and other files as embedded resources', () => {
  const files = [
    file('out/a.svg', 'image/svg+xml', '<svg/>'),
    file('out/b c.csv', 'text/csv', '1,2'),
    file('out/d.zip', 'application/zip', 3),
    file('out/huge.png', 'image/png', 1_000_001),
  ];
  const { content } = renderOutput({ isError: false, output: { text: 'done', structured: {}, files } });
  expect(content).toEqual([
    { type: 'text', text: 'done' },
    { type: 'image', data: Buffer.from('<svg/>').toString('base64'), mimeType: 'image/svg+xml' },
    { type: 'resource', resource: { uri: 'citewell://run/out/b%20c.csv', mimeType: 'text/csv', text: '1,2' } },
    { type: 'resource', resource: { uri: 'citewell://run/out/d.zip', mimeType: 'application/zip', blob: 'AAAA' } },
  ]);
});
