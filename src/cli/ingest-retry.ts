import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Backlog } from './from-wire.ts';
import { count, progressLine } from './progress-line.ts';
import { withClient } from './with-client.ts';

const POLL_INTERVAL_MS = 300;

/** `citewell ingest retry`: retries failed documents and finishes interrupted ones. */
export function retryIngestions(
  options: { readonly wait?: boolean; readonly json?: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const { output, interruption } = context;
  return withClient(context, async (client) => {
    const retried = await client.retryFailed();
    if (!options.json) output.note(`${count(retried)} failed before and ${retried === 1 ? 'is' : 'are'} retried.`);
    const waits = options.wait !== false || client.server === undefined;
    const left = waits ? await watchBacklog(client, context) : await client.backlog();
    if (options.json) output.print(JSON.stringify({ retried, ...left }));
    else output.print(summary(left));
    if (interruption.received() === 'SIGINT') return exitCodes.interrupted;
    if (interruption.received() === 'SIGTERM') return exitCodes.terminated;
    return left.failed > 0 ? exitCodes.partly : exitCodes.ok;
  });
}

/** Waits until the queue contains only documents whose retry is not due yet. */
async function watchBacklog(client: Client, { output, interruption }: CommandContext): Promise<Backlog> {
  const startedAt = performance.now();
  const first = await client.backlog();
  const total = first.queued + first.running;
  let backlog = first;
  while (backlog.queued - backlog.retrying + backlog.running > 0 && !interruption.stop.aborted) {
    const left = backlog.queued + backlog.running;
    const elapsedSeconds = (performance.now() - startedAt) / 1000;
    const done = Math.max(0, total - left);
    const line = { done, total: Math.max(total, left), failed: 0, skipped: 0, elapsedSeconds, unit: 'documents' };
    output.status(progressLine(line, output.width));
    await sleep(POLL_INTERVAL_MS, undefined, { signal: interruption.stop }).catch(() => undefined);
    backlog = await client.backlog();
  }
  output.status('');
  return backlog;
}

function summary({ queued, retrying, running, failed }: Backlog): string {
  const parts = [failed === 0 ? 'Nothing has failed' : `${count(failed)} failed (see citewell documents list)`];
  if (queued - retrying + running > 0) parts.push(`${count(queued - retrying + running)} still to be ingested`);
  if (retrying > 0) parts.push(`${count(retrying)} failed for now and are retried later by a running server`);
  return `${parts.join('; ')}.`;
}
