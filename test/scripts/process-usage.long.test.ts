import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { usageOf } from '../../scripts/process-usage.ts';

const BUSY = 'while (process.cpuUsage().user < 300_000);';

it.runIf(process.platform === 'linux')('processor time includes descendants that have ended', async () => {
  const shell = spawn('/bin/sh', ['-c', '"$0" -e "$1"; echo ended; exec cat', process.execPath, BUSY]);
  onTestFinished(() => void shell.kill('SIGKILL'));
  await once(shell.stdout, 'data');
  const usage = await usageOf(shell.pid ?? 0);
  expect(usage.seconds).toBeGreaterThanOrEqual(0.25);
  expect(usage.bytes).toBeGreaterThan(0);
});
