import { spawn } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Kysely, sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { programFile } from '../../program-file.ts';
import { damageIn, damageSentence } from './check-database.ts';
import type { Tables } from './schema.ts';

/** Files up to this size are checked at the start, which takes some 0.2 s; larger ones in the background. */
const MAX_BYTES_CHECKED_FIRST = 32_000_000;
/** Commands that end sooner neither wait for a check nor start one. */
const CHECK_AFTER_MS = 3_000;

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
    `The database ${path} is ${existsSync(path) ? 'empty' : 'gone'}, but there was one: its documents are lost with it. ` +
      `Put back a copy of it. To start anew, remove the folder ${dirname(path)} or choose another with CITEWELL_DATA_DIR.`,
  );
}

/** Records that the database has been created. */
export function markMade(path: string): void {
  if (path === ':memory:' || existsSync(markerOf(path))) return;
  writeFileSync(markerOf(path), '', { mode: 0o600 });
}

/** Throws when a small database is damaged. Checking a large one takes too long for a start; see `watchHealth`. */
export async function refuseDamaged(writer: Kysely<Tables>, path: string): Promise<void> {
  const size = sizeOf(path);
  if (size === 0 || size > MAX_BYTES_CHECKED_FIRST) return;
  const { rows } = await sql.raw('pragma quick_check(3)').execute(writer);
  const findings = damageIn(rows);
  if (findings.length > 0) throw new ServiceError('store_failed', damageSentence(path, findings));
}

/** What SQLite says when it cannot even begin to check a file. */
const UNREADABLE = /database disk image is malformed|malformed database schema.*|file is not a database/;

/** The error of opening a database, in words for people where it says that the file is damaged. */
export function damageOr(error: unknown, path: string): unknown {
  const [finding] = UNREADABLE.exec(error instanceof Error ? error.message : '') ?? [];
  if (finding === undefined || (error instanceof ServiceError && error.message.includes(' is damaged '))) return error;
  return new ServiceError('store_failed', damageSentence(path, [finding.replace(/\.$/, '')]), { cause: error });
}

/** A background check of the whole file. */
export interface HealthWatch {
  /** The damage found, for users; undefined when there is none so far. */
  problem(): string | undefined;
  close(): void;
}

/** Checks a large database once, in a process of low priority, and reports damage to `report`. */
export function watchHealth(path: string, report: (message: string) => void = () => undefined): HealthWatch {
  let problem: string | undefined;
  const over = new AbortController();
  const check = async (): Promise<void> => {
    const child = spawn(process.execPath, [PROGRAM, path], {
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
      signal: over.signal,
      killSignal: 'SIGKILL',
    });
    child.on('error', () => undefined);
    child.stdin.on('error', () => undefined);
    const said = await text(child.stdout);
    // There is no output when the check was aborted.
    const findings: readonly string[] = said === '' ? [] : JSON.parse(said);
    if (findings.length === 0) return;
    problem = damageSentence(path, findings);
    report(problem);
  };
  const timer = setTimeout(() => check().catch(() => undefined), CHECK_AFTER_MS).unref();
  if (sizeOf(path) <= MAX_BYTES_CHECKED_FIRST) clearTimeout(timer);
  return {
    problem: () => problem,
    close() {
      clearTimeout(timer);
      over.abort();
    },
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
