/**
 * Entry point of the child process that checks a large database while the service runs: `check-process.ts FILE`. Prints
 * a CheckResult as JSON.
 *
 * The check is one native call that cannot be interrupted, so it runs in a worker thread of a process that can be
 * killed: the main thread stays free to detect the parent's death, which closes standard input.
 */
import { constants, setPriority } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { errorMessage } from '../../shared/error-message.ts';
import { findDamage } from './check-database.ts';

/** The problems found, or why the check could not be made. */
export type CheckResult = { readonly findings: readonly string[] } | { readonly failure: string };

if (isMainThread) {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // Lowering the priority is not permitted on every system.
  }
  const end = (): boolean => process.kill(process.pid, 'SIGKILL');
  process.stdin.on('close', end).on('error', end).resume();
  const thread = new Worker(new URL(import.meta.url), { workerData: process.argv[2] });
  thread.on('message', (result: CheckResult) => {
    process.stdout.write(JSON.stringify(result), () => process.exit());
  });
} else {
  parentPort?.postMessage(check(String(workerData)));
}

function check(path: string): CheckResult {
  try {
    return { findings: findDamage(path) };
  } catch (error) {
    return { failure: errorMessage(error) };
  }
}
