import { visibleLine } from './layout.ts';
import { count } from './progress-line.ts';
import type { SourceRecord } from './sources-client.ts';

const STATES: Readonly<Record<SourceRecord['state'], string>> = {
  syncing: 'in progress',
  following: 'followed',
  idle: 'done',
  stopped: 'stopped',
};

/** A followed source as a row of `citewell sources list`. */
export function sourceRow(source: SourceRecord): string[] {
  const { id, kind, location, state, problem, last_sync: sync } = source;
  return [
    id.slice(0, 8),
    kind,
    visibleLine(location),
    STATES[state] + (state === 'syncing' ? progressOf(source) : ''),
    problem === null ? outcomes(sync) : visibleLine(problem),
  ];
}

function progressOf({ total, listed, last_sync: sync }: SourceRecord): string {
  const done = count(sync?.done ?? 0);
  if (total !== null) return `, ${done} of ${count(total)}`;
  return listed === null ? '' : `, ${done} of ${count(listed)} listed so far`;
}

/**
 * The followed sources in `citewell status`. It shows running synchronisations, because the backlog does not contain
 * the items that they have not read yet.
 */
export function sourcesLine(sources: readonly SourceRecord[]): string {
  const running = sources.filter(({ state }) => state === 'syncing');
  const done = running.reduce((sum, { last_sync: sync }) => sum + (sync?.done ?? 0), 0);
  const stopped = sources.filter(({ state }) => state === 'stopped').length;
  const parts = [`${count(sources.length)} followed`];
  if (running.length > 0) parts.push(`${count(running.length)} in progress with ${count(done)} items done`);
  if (stopped > 0) parts.push(`${count(stopped)} stopped ("citewell sources list" says why)`);
  return parts.join(', ');
}

const outcomes = (sync: SourceRecord['last_sync']): string =>
  Object.entries(sync?.counts ?? {})
    .map(([kind, number]) => `${count(number)} ${kind}`)
    .join(', ');
