import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { PATIENT } from './patience.ts';

/** Stops a process and waits until it is: on a busy machine it answers for a while after the signal was sent. */
export async function suspend(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await vi.waitUntil(
    async () => (await promisify(execFile)('ps', ['-o', 'stat=', '-p', `${pid}`])).stdout.startsWith('T'),
    PATIENT,
  );
}
