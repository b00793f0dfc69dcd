import type { SkipReason } from '../ingest/folders/find-files.ts';
import type { IngestOutcome } from '../ingest/folders/folder-target.ts';
import type { IngestStep } from '../ingest/ingest-all.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { IngestFailure } from './ingest-failures.ts';
import { count, duration } from './progress-line.ts';
import { isWorthNaming, type NamedSkip, skipWords } from './skipped-files.ts';

/** Counts so far. */
export interface Tally {
  /** Listed below the summary. */
  readonly failures: IngestFailure[];
  readonly outcomes: Record<IngestOutcome, number>;
  readonly skipped: Map<SkipReason, number>;
  /** Skipped files worth naming. */
  readonly named: NamedSkip[];
}

export const emptyTally = (): Tally => ({
  outcomes: { ingested: 0, replaced: 0, unchanged: 0, duplicate: 0, failed: 0 },
  skipped: new Map(),
  named: [],
  failures: [],
});

export function record(step: IngestStep, { outcomes, skipped, failures, named }: Tally): void {
  if (step.type === 'result') outcomes[step.outcome] += 1;
  if (step.type === 'result' && step.outcome === 'failed') {
    failures.push({ name: step.name, reason: step.reason ?? '' });
  }
  if (step.type !== 'skipped') return;
  skipped.set(step.reason, (skipped.get(step.reason) ?? 0) + 1);
  if (isWorthNaming(step.reason)) named.push({ name: step.name, reason: step.reason });
}

export function toJson(step: Exclude<IngestStep, { type: 'started' }>) {
  const { name } = step;
  if (step.type === 'skipped') return { type: 'skipped', name, reason: step.reason };
  return {
    type: 'document',
    name,
    outcome: step.outcome,
    document_id: step.documentId,
    ...(step.reason && { reason: step.reason }),
  };
}

export const summaryJson = ({ outcomes, skipped }: Tally, seconds: number) => ({
  type: 'summary',
  ...outcomes,
  skipped: Object.fromEntries(skipped),
  seconds: Number(seconds.toFixed(3)),
});

export function summaryText(tally: Tally, seconds: number): string {
  const { outcomes, skipped } = tally;
  if (isEmpty(tally) && skipped.size === 0) return 'There is nothing to ingest.';
  const parts = Object.entries(outcomes).filter(([outcome, number]) => number > 0 || outcome === 'ingested');
  const skips = [...skipped].map(([reason, number]) => `${count(number)} ${skipWords[reason]}`);
  const what = parts.map(([outcome, number]) => `${count(number)} ${outcome}`).join(', ');
  return `${what} in ${duration(seconds)}${skips.length === 0 ? '' : `; skipped: ${skips.join(', ')}`}.`;
}

/** Whether no document was attempted. */
export const isEmpty = ({ outcomes }: Tally): boolean => Object.values(outcomes).every((number) => number === 0);

export function exitCodeOf({ outcomes }: Tally, received: string | undefined): ExitCode {
  if (received === 'SIGINT') return exitCodes.interrupted;
  if (received === 'SIGTERM') return exitCodes.terminated;
  if (outcomes.failed === 0) return exitCodes.ok;
  const { failed, ...others } = outcomes;
  return Object.values(others).some((number) => number > 0) ? exitCodes.partly : exitCodes.failure;
}
