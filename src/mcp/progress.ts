import type { ServerContext } from '@modelcontextprotocol/server';
import type { ProgressStep } from './backend.ts';

/** Milliseconds of silence after which a progress notification is repeated. */
const HEARTBEAT_MS = 3_000;

export interface ProgressReport {
  onProgress(step: ProgressStep): void;
  stop(): void;
}

/**
 * Sends progress notifications if the client asked for them. The value increases strictly, as the protocol requires: to
 * the tool's own count if that is higher, otherwise by a small step.
 */
export function reportProgress({ mcpReq }: ServerContext, name: string): ProgressReport | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  const startedAt = performance.now();
  let progress = 0;
  let latest: ProgressStep = { message: name };
  const send = (step: ProgressStep) => {
    latest = step;
    progress = step.done !== undefined && step.done > progress ? step.done : progress + 0.01;
    const { message, total } = step;
    const params = { progressToken, progress, message, ...(total !== undefined && total >= progress ? { total } : {}) };
    // The client may have disconnected.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    send({ message: `${latest.message.replace(/ \(\d+ s\)$/, '')} (${seconds} s)` });
  }, HEARTBEAT_MS);
  return { onProgress: send, stop: () => clearInterval(timer) };
}
