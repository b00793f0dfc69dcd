/** Progress of a long operation such as an ingestion. */
export interface Progress {
  readonly done: number;
  /** Undefined while it is still being counted. */
  readonly total: number | undefined;
  /** Number found so far, while `total` is still being counted. */
  readonly listed?: number | undefined;
  readonly failed: number;
  readonly skipped: number;
  /** Items among `done` that needed no work, for example after an interruption; the rate leaves them out. */
  readonly present?: number;
  readonly elapsedSeconds: number;
  /** What is being worked on. */
  readonly current?: string;
  /** What the numbers count, in the plural. */
  readonly unit: string;
}

const BAR_WIDTH = 24;
const MINIMUM_SECONDS_FOR_RATE = 1;
/** The first files may be the largest, so less of the work says nothing about the rest. */
const MINIMUM_SHARE_FOR_ESTIMATE = 0.05;
const MINIMUM_DONE_FOR_ESTIMATE = 200;

/** One line of progress, at most `width` columns. */
export function progressLine(progress: Progress, width: number): string {
  const parts = [
    ...(progress.total === undefined ? [] : [bar(progress.done, progress.total)]),
    amountOf(progress),
    ...rateParts(progress),
    ...(progress.present ? [`${count(progress.present)} already present`] : []),
    ...(progress.skipped > 0 ? [`${count(progress.skipped)} skipped`] : []),
    ...(progress.failed > 0 ? [`${count(progress.failed)} failed`] : []),
    ...(progress.current === undefined ? [] : [progress.current]),
  ];
  const line = parts.join('  ');
  return line.length < width ? line : `${line.slice(0, Math.max(0, width - 2))}…`;
}

function amountOf({ done, total, listed, unit }: Progress): string {
  if (total !== undefined) return `${count(done)}/${count(total)} ${unit}`;
  return listed === undefined ? `${count(done)} ${unit}` : `${count(done)} of ${count(listed)} ${unit} listed so far`;
}

function bar(done: number, total: number): string {
  const filled = total === 0 ? BAR_WIDTH : Math.min(BAR_WIDTH, Math.round((done / total) * BAR_WIDTH));
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
}

function rateParts({ done, present = 0, total, elapsedSeconds }: Progress): string[] {
  if (elapsedSeconds < MINIMUM_SECONDS_FOR_RATE || done <= present) return [];
  const worked = done - present;
  const rate = worked / elapsedSeconds;
  const parts = [`${rate < 10 ? rate.toFixed(1) : count(Math.round(rate))}/s`];
  if (total === undefined || total <= done) return parts;
  const isEnough = worked >= MINIMUM_DONE_FOR_ESTIMATE || worked >= MINIMUM_SHARE_FOR_ESTIMATE * (total - present);
  return isEnough ? [...parts, `${duration((total - done) / rate)} left`] : parts;
}

/** A length of time in the one or two units that matter. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * A whole number with commas between thousands. `toLocaleString` would load language data, which takes 30 ms of each
 * command.
 */
export const count = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 document` or `1,200 documents`; `many` is the plural if it is no mere s. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;
