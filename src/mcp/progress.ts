import type { ServerContext } from '@modelcontextprotocol/server';
import type { ProgressStep } from './backend.ts';

/** Silence after which a waiting client hears that the call goes on. */
const HEARTBEAT = 3_000;

export interface ProgressReport {
  onProgress(step: ProgressStep): void;
  stop(): void;
}

/**
 * Tells the client how a call goes on, if it asked to be told. The number only ever rises, as the protocol wants it: by
 * what is done where a tool knows that, else by a little with each sign of life.
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
    // A client that has gone needs no telling.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    send({ message: `${latest.message.replace(/ \(\d+ s\)$/, '')} (${seconds} s)` });
  }, HEARTBEAT);
  return { onProgress: send, stop: () => clearInterval(timer) };
}
