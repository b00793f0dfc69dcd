import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it.each([
  [['check']],
  [['users', 'create-admin', '--email', 'ada@example.org', '--password-stdin']],
  [['migrate', 'r2r', '--url', 'http://127.0.0.1:9', '--api-key-stdin']],
])('ends at the first Ctrl-C while %j waits for its input', async (args) => {
  const { code, stderr } = await runCitewell(args, {
    cwd: await temporaryFolder(),
    input: { open: true },
    async onStart(child) {
      child.stdin?.write('A text that does not end');
      // Ctrl-C must also end the command if it arrives earlier; here it is to arrive during the wait.
      await pause(2_000);
      child.kill('SIGINT');
    },
  });
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('Interrupted') });
});
