import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { doctor } from '../../src/cli/doctor.ts';
import type { Interruption } from '../../src/cli/interruption.ts';
import { processOutput } from '../../src/cli/output.ts';
import { ServiceError } from '../../src/errors.ts';

/** Runs the doctor; `onConfig` is called with what has been printed when it reads the configuration. */
function runDoctor(json: boolean, onConfig: (printed: string, stop: AbortController) => void) {
  const stdout = new PassThrough();
  const stream = stdout as unknown as NodeJS.WriteStream;
  let printed = '';
  stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const stop = new AbortController();
  const interruption: Interruption = {
    stop: stop.signal,
    abandon: stop.signal,
    received: () => 'SIGINT',
    finishFirst() {},
    handleFirst() {},
    ignoreBrokenPipe() {},
    onBrokenPipe() {},
    dispose() {},
  };
  const context: CommandContext = {
    output: processOutput(stream, stream),
    interruption,
    async config() {
      // Lets the stream deliver what has been written.
      await new Promise(setImmediate);
      onConfig(printed, stop);
      throw new ServiceError('invalid_request', 'CITEWELL_PORT is no port.');
    },
  };
  return { done: doctor({ json, questions: true }, context), printed: () => printed };
}

it('prints each finding before the next check', async () => {
  let before = '';
  const { done, printed } = runDoctor(false, (text) => {
    before = text;
  });
  expect(await done).toBe(1);
  expect(before).toMatch(/Node: v.*\n.*SQLite: \d.*\n$/);
  await expect.poll(printed).toMatch(/WRONG\s+Configuration: CITEWELL_PORT is no port\./);
});

it.each([false, true])('ends after the check during which it is interrupted (JSON: %s)', async (json) => {
  const { done, printed } = runDoctor(json, (_text, stop) => stop.abort());
  await expect(done).rejects.toMatchObject({ name: 'AbortError' });
  expect(printed()).not.toContain('Configuration');
  expect(printed()).toEqual(json ? '' : expect.stringContaining('SQLite'));
});
