import { expect, it, onTestFinished } from 'vitest';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it.skipIf(process.platform === 'win32')('waits for a server that does not answer at once', async () => {
  const cwd = await temporaryFolder();
  const server = await startCitewell({ cwd });
  onTestFinished(() => server.kill());
  process.kill(server.pid, 'SIGSTOP');
  const { code, stdout, stderr } = await runCitewell(['sources', 'list', '--json'], {
    cwd,
    onStart: ({ stderr: notes }) =>
      notes?.on('data', (text) => {
        if (String(text).includes('Waiting for the server')) process.kill(server.pid, 'SIGCONT');
      }),
  });
  expect([code, stdout], stderr).toEqual([0, '[]\n']);
});
