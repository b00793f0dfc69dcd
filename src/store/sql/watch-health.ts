import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Kysely, sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { programFile } from '../../program-file.ts';
import { errorMessage } from '../../shared/error-message.ts';
import { damageIn, damageSentence, unreadableFinding } from './check-database.ts';
import type { CheckResult } from './check-process.ts';
import type { Tables } from './schema.ts';

export interface HealthCheckSettings {
  /** Files up to this size are checked at the start, which takes some 0.2 s; larger ones in the background. */
  readonly maxBytesCheckedFirst: number;
  /**
   * Pause before a background check, which reads the whole file: commands that end sooner neither wait for one nor start
   * one, and the start of a service is over by then.
   */
  readonly checkAfterMs: number;
}

export const defaultHealthCheck: HealthCheckSettings = { maxBytesCheckedFirst: 32_000_000, checkAfterMs: 15_000 };

const PROGRAM = programFile('./check-process.ts', import.meta);

/** Marker file beside a database, written once the database has been created completely. */
const markerOf = (path: string): string => `${path}.made`;

/**
 * Throws when the file is empty or missing although the database was once created: creating it again would hide the
 * loss.
 */
export function refuseEmptied(path: string): void {
  const size = sizeOf(path);
  if (size > 0 || !existsSync(markerOf(path))) return;
  throw new ServiceError(
    'store_failed',
    `The database ${path} is ${existsSync(path) ? 'empty' : 'missing'} although it was created before; its documents are ` +
      `unavailable. Restore it from a backup. To start over, remove the folder ${dirname(path)} or choose another with ` +
      'CITEWELL_DATA_DIR.',
  );
}

/** Records that the database has been created. */
export function markCreated(path: string): void {
  if (path === ':memory:' || existsSync(markerOf(path))) return;
  writeFileSync(markerOf(path), '', { mode: 0o600 });
}

/** Throws when a small database is damaged. Checking a large one takes too long for a start; see `watchHealth`. */
export async function refuseDamaged(
  writer: Kysely<Tables>,
  path: string,
  { maxBytesCheckedFirst }: HealthCheckSettings,
): Promise<void> {
  const size = sizeOf(path);
  if (size === 0 || size > maxBytesCheckedFirst) return;
  const { rows } = await sql.raw('pragma quick_check(3)').execute(writer);
  const findings = damageIn(rows);
  if (findings.length > 0) throw new ServiceError('store_failed', damageSentence(path, findings));
}

/** Replaces an error that means a damaged database file by one with instructions; returns any other error unchanged. */
export function explainDamage(error: unknown, path: string): unknown {
  const finding = unreadableFinding(error);
  if (finding === undefined || (error instanceof ServiceError && error.message.includes(' is damaged '))) return error;
  return new ServiceError('store_failed', damageSentence(path, [finding]), { cause: error });
}

/** A background check of the whole file. */
export interface HealthWatch {
  /** The damage found, for users; undefined when there is none so far. */
  problem(): string | undefined;
  close(): void;
}

export interface WatchHealthOptions {
  readonly settings: HealthCheckSettings;
  /** Receives damage that was found, and the reason when the check could not be made. */
  readonly report?: ((message: string) => void) | undefined;
}

/** Checks a large database once, in a process of low priority. */
export function watchHealth(path: string, { settings, report = () => undefined }: WatchHealthOptions): HealthWatch {
  let problem: string | undefined;
  const over = new AbortController();
  const check = async (): Promise<void> => {
    try {
      const findings = await checkInProcess(path, over.signal);
      if (findings.length === 0) return;
      problem = damageSentence(path, findings);
      report(problem);
    } catch (error) {
      if (over.signal.aborted) return;
      const reason = errorMessage(error);
      report(`The database ${path} could not be checked for damage: ${reason}`);
    }
  };
  const isLarge = sizeOf(path) > settings.maxBytesCheckedFirst;
  const timer = isLarge ? setTimeout(check, settings.checkAfterMs).unref() : undefined;
  return {
    problem: () => problem,
    close() {
      clearTimeout(timer);
      over.abort();
    },
  };
}

/** The problems of the file. Throws when the check could not be made or `signal` was aborted. */
async function checkInProcess(path: string, signal: AbortSignal): Promise<readonly string[]> {
  const child = spawn(process.execPath, [PROGRAM, path], {
    stdio: ['pipe', 'pipe', 'ignore'],
    // A separate process group, so that Ctrl-C in the terminal is not reported as a check that could not be made.
    detached: process.platform !== 'win32',
    windowsHide: true,
    signal,
    killSignal: 'SIGKILL',
  });
  // Killing the process or closing its input fails once it has ended, which is no error.
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  const [output, [code, by]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (output === '') throw new Error(`The process that checks it ended (${by ?? code}).`);
  const result: CheckResult = JSON.parse(output);
  if ('failure' in result) throw new Error(result.failure);
  return result.findings;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
