import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { PATIENT } from './patience.ts';

/** Stops a process and waits until it has stopped: on a busy machine it runs on for a while after the signal. */
export async function suspend(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await vi.waitUntil(
    async () => (await promisify(execFile)('ps', ['-o', 'stat=', '-p', `${pid}`])).stdout.startsWith('T'),
    PATIENT,
  );
}
