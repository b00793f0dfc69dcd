import { WriteStream } from 'node:tty';
import { expect, it } from 'vitest';
import { processOutput } from '../../src/cli/output.ts';

function terminal(colourDepth: number, isTTY = true): NodeJS.WriteStream {
  return Object.create(WriteStream.prototype, {
    isTTY: { value: isTTY },
    getColorDepth: { value: () => colourDepth },
  }) as NodeJS.WriteStream;
}

it('a title is a hyperlink in terminals that support it, and plain text elsewhere', () => {
  const url = 'http://127.0.0.1:7272/d/1?q=1-2';
  const shown = (stdout: NodeJS.WriteStream, address?: string) => processOutput(stdout, stdout).link('Terms', address);
  expect(shown(terminal(8), url)).toBe(`\u001b]8;;${url}\u001b\\Terms\u001b]8;;\u001b\\`);
  expect([shown(terminal(8)), shown(terminal(1), url), shown(terminal(8, false), url)]).toEqual(Array(3).fill('Terms'));
});
