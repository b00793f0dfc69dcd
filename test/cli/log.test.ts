import { expect, it } from 'vitest';
import { serverLog } from '../../src/cli/log.ts';
import type { Output } from '../../src/cli/output.ts';

/** The lines on a terminal, without colours. */
function terminal() {
  const lines: string[] = [];
  const output: Pick<Output, 'isInteractive' | 'note' | 'noteStyle'> = {
    isInteractive: true,
    note: (line = '') => lines.push(line),
    noteStyle: (_, text) => text,
  };
  return { lines, output: output as Output };
}

it('logs what a server does as lines for people on a terminal', () => {
  const { lines, output } = terminal();
  const log = serverLog('info', output);
  log.info({ reason: 'There are 120 passages.' }, 'Learning from the corpus.');
  log.warn({ err: new Error('no route\n\u001b[31mto host'), seconds: 3 }, 'The index does not answer.');
  log.error('The disk is full.');
  log.warn({ err: new Error('Reading a.pdf was stopped.'), path: '/v3/documents' }, 'Reading a.pdf was stopped.');
  log.debug('Not logged.');
  expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d/, 'TIME'))).toEqual([
    'TIME Learning from the corpus. (reason: There are 120 passages.)',
    'TIME warning: The index does not answer. (no route \ufffd[31mto host, seconds: 3)',
    'TIME error: The disk is full.',
    'TIME warning: Reading a.pdf was stopped. (path: /v3/documents)',
  ]);
});

it('shows no secrets on a terminal', () => {
  const { lines, output } = terminal();
  serverLog('info', output).info({ apiKey: 'secret-1', provider: { token: 'secret-2' } }, 'Connected.');
  expect(lines).toEqual([expect.stringContaining('Connected. (apiKey: [Redacted], provider:')]);
  expect(lines.join()).not.toContain('secret');
});
