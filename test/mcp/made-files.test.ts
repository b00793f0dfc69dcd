import { expect, it } from 'vitest';
import { defaultSandboxLimits } from '../../src/sandbox/default-limits.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startInProcess } from './support/in-process.ts';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64');
const FILES = [
  { name: 'table 1/sums.csv', bytes: Buffer.from('a,b\n1,ä\n') },
  { name: 'chart.svg', bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') },
  { name: 'dot.png', bytes: PNG },
];

/** Answers each call with the same files and much output, without running anything. */
const sandbox: Pick<Sandbox, 'run' | 'limits'> = {
  limits: defaultSandboxLimits,
  run: async () => {
    const captured = (text: string) => ({ text, characters: text.length, isTruncated: false });
    const value = { repr: 'x'.repeat(50_000), type: 'str', isTruncated: false, json: 'x'.repeat(50_000) };
    const common = {
      files: FILES,
      skippedFiles: [],
      restoredFiles: 0,
      lostFiles: [],
      milliseconds: 1,
      sessionLost: false,
    };
    return {
      end: 'finished',
      value,
      stdout: captured('1 '.repeat(50_000)),
      stderr: captured('!'.repeat(9_000)),
      ...common,
    };
  },
};
const start = () => startInProcess({ change: () => ({ sandbox: sandbox as Sandbox }) });

it.each(['legacy', 'modern'] as const)(
  'files made by Python can be read by the links of the result (%s)',
  async (era) => {
    const mcp = await start();
    const client = await mcp.connect(era);
    const { content } = await client.callTool({ name: 'python_executor', arguments: { code: '1' } });
    const links = content.flatMap((block) => (block.type === 'resource_link' ? [block] : []));
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
    expect(await Promise.all(links.map(({ uri }) => read(uri)))).toEqual([
      { uri: links[0]?.uri, mimeType: 'text/csv', text: 'a,b\n1,ä\n' },
      { uri: links[1]?.uri, mimeType: 'image/svg+xml', text: FILES[1]?.bytes.toString() },
      { uri: links[2]?.uri, mimeType: 'image/png', blob: PNG.toString('base64') },
    ]);
    expect(content.flatMap((block) => (block.type === 'image' ? [block.mimeType] : []))).toEqual(['image/png']);
    await expect(read(`${links[0]?.uri}x`)).rejects.toThrow(/no file .*run the code again/s);
  },
);

it('a result stays short by itself, and says what was cut', async () => {
  const mcp = await start();
  const client = await mcp.connect();
  const lengths = async (given: object) => {
    const { content, structuredContent } = await client.callTool({
      name: 'python_executor',
      arguments: { code: '1', ...given },
    });
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
    expect(text).toContain('of 100000 characters; print less, or write to out/');
    expect(structuredContent).toMatchObject({ stdout_truncated: true, result_truncated: true, stdout_chars: 100_000 });
    return [text.length, JSON.stringify(structuredContent).length];
  };
  for (const length of await lengths({})) expect(length).toBeLessThanOrEqual(20_000);
  for (const length of await lengths({ max_characters: 5_000 })) expect(length).toBeLessThanOrEqual(5_500);
});
