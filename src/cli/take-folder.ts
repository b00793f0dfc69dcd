import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { askToYield } from '../mcp/peer/peer-backend.ts';
import { readServerInfo } from '../store/server-info.ts';

const PATIENCE = 15_000;
const LOOK_AGAIN = 100;

/**
 * Opens the data folder for a server. A process that has it only for the one client of its own is asked to make way,
 * and uses the server from then on. Throws `conflict` when something else has it.
 */
export async function takeFolder<T>(dataDir: string, open: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const isTaken = error instanceof ServiceError && error.code === 'conflict';
      if (!isTaken || signal.aborted || performance.now() > giveUpAt) throw error;
      const holder = await readServerInfo(dataDir);
      if (holder?.role !== 'mcp' || !(await askToYield(holder, signal))) throw error;
    }
    await sleep(LOOK_AGAIN);
  }
}
