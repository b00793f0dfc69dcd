import { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { expect, it, onTestFinished, vi } from 'vitest';
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

it('without a terminal, a long stage is reported periodically', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const written: string[] = [];
  const sink = new Writable({ write: (text, _encoding, done) => done(void written.push(String(text))) });
  const stderr = sink as NodeJS.WriteStream;
  const { status } = processOutput(stderr, stderr);
  const step = (line: string, milliseconds: number) => {
    status(line);
    vi.advanceTimersByTime(milliseconds);
  };
  step('short 1', 0);
  step('short 2', 1_900);
  step('', 60_000);
  step('long 1', 0);
  step('long 2', 2_000);
  step('long 3', 14_000);
  // Nothing more is heard of this step for a while.
  step('long 4', 16_000);
  step('', 60_000);
  expect(written.join('')).toBe('long 2\nlong 4\nlong 4\n');
});
