import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { requestRelease } from '../mcp/peer/peer-backend.ts';
import { readServerInfo } from '../store/server-info.ts';

const TIMEOUT_MS = 15_000;
/** For a holder without `server.json`: a command, or a process that is starting or ending. */
const SHORT_TIMEOUT_MS = 5_000;
const POLL_INTERVAL_MS = 100;

/**
 * Opens the data folder for a server. A private process that holds it is asked to hand it over, and connects to the
 * server from then on. Throws `conflict` when another server holds it.
 */
export async function acquireDataFolder<T>(dataDir: string, open: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const startedAt = performance.now();
  // A process that hands over removes its `server.json` first and releases the folder when everything is closed.
  let isReleasing = false;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const isTaken = error instanceof ServiceError && error.code === 'conflict';
      const holder = isTaken ? await readServerInfo(dataDir) : undefined;
      const timeoutMs = isReleasing || holder !== undefined ? TIMEOUT_MS : SHORT_TIMEOUT_MS;
      if (!isTaken || signal.aborted || performance.now() - startedAt > timeoutMs) throw error;
      if (holder !== undefined) {
        if (holder.role === 'server' || !(await requestRelease(holder, signal))) throw error;
        isReleasing = true;
      }
    }
    await sleep(POLL_INTERVAL_MS);
  }
}
